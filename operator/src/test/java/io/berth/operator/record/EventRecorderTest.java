package io.berth.operator.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.engine.api.Decision.WouldEvict;
import io.berth.engine.model.PodRef;
import io.berth.operator.MovedClock;
import io.berth.operator.api.ClusterAccess;
import io.berth.operator.api.HttpApiCalls;
import io.berth.operator.record.ObjectEvent.Subject;
import io.berth.sandbox.Sandbox;
import io.berth.sandbox.SandboxOptions;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Events on an API server: repetitions form a series, and Bindings have priority. */
class EventRecorderTest {

  private static final Duration SOON = Duration.ofSeconds(20);

  private final MovedClock clock = new MovedClock(Instant.now());
  private final AtomicBoolean binding = new AtomicBoolean();
  private final AtomicInteger dropped = new AtomicInteger();
  private Sandbox sandbox;
  private KubernetesClient client;
  private HttpApiCalls api;
  private EventRecorder recorder;

  @BeforeEach
  void start() {
    sandbox = Sandbox.start(SandboxOptions.defaults());
    client =
        new KubernetesClientBuilder()
            .withConfig(Config.fromKubeconfig(sandbox.kubeconfig()))
            .build();
    api = new HttpApiCalls(ClusterAccess.of(client.getConfiguration()), Duration.ofSeconds(10));
    recorder =
        new EventRecorder(
            api, about -> "berth", "test", clock, binding::get, dropped::incrementAndGet);
  }

  @AfterEach
  void stop() {
    api.close();
    client.close();
    sandbox.close();
  }

  private void pass(Duration time) {
    clock.move(time);
  }

  private static ObjectEvent failed(String pod) {
    return ObjectEvent.warning(
        Subject.pod(new PodRef("default", pod, "uid-" + pod)),
        "FailedScheduling",
        "Scheduling",
        "0/2 nodes are available: 2 Insufficient cpu.");
  }

  private List<Event> events() {
    return client.events().v1().events().inNamespace("default").list().getItems();
  }

  private void report(ObjectEvent event) throws InterruptedException {
    recorder.report(event);
    assertThat(recorder.awaitQuiet(SOON)).isTrue();
  }

  private int seriesCount() {
    assertThat(events()).hasSize(1);
    return events().getFirst().getSeries().getCount();
  }

  @Test
  void dryRun_namesThePreemptor_onlyToVictimsOfItsNamespace() throws InterruptedException {
    PodRef preemptor = new PodRef("secret-team", "secret-pod", "uid-secret");
    PodRef victim = new PodRef("default", "victim", "uid-victim");
    PodEvents pods = new PodEvents(recorder);

    pods.wouldPreempt(preemptor, new WouldEvict("n1", List.of(victim)));
    assertThat(recorder.awaitQuiet(SOON)).isTrue();

    assertThat(events()).hasSize(1);
    Event event = events().getFirst();
    assertThat(event.getReason()).isEqualTo("PreemptionDryRun");
    assertThat(event.getNote()).contains("A pod of another namespace").contains("n1");
    assertThat(event.toString()).doesNotContain("secret");

    pods.wouldPreempt(
        new PodRef("default", "colleague", "uid-colleague"), new WouldEvict("n1", List.of(victim)));
    assertThat(recorder.awaitQuiet(SOON)).isTrue();

    assertThat(events())
        .anySatisfy(
            reported -> {
              assertThat(reported.getNote()).contains("Pod default/colleague");
              assertThat(reported.getRelated().getName()).isEqualTo("colleague");
            });
  }

  @Test
  void repeatedEvent_isOneEventWithASeries_thatIsWrittenSeldom() throws InterruptedException {
    report(failed("web"));
    pass(Duration.ofSeconds(5));
    report(failed("web"));

    assertThat(seriesCount()).isEqualTo(2);

    pass(Duration.ofSeconds(5));
    report(failed("web"));

    assertThat(seriesCount()).isEqualTo(2);

    pass(EventCorrelator.SERIES_PAUSE);
    report(failed("web"));

    assertThat(seriesCount()).isEqualTo(4);
  }

  @Test
  void repeatedEvent_afterALongTime_isANewOne() throws InterruptedException {
    report(failed("web"));
    pass(EventCorrelator.SERIES_WINDOW.plusSeconds(1));
    report(failed("web"));

    assertThat(events()).hasSize(2);
  }

  @Test
  void seriesWhoseEventIsGone_beginsAgain() throws InterruptedException {
    report(failed("web"));
    client.resource(events().getFirst()).delete();
    report(failed("web"));

    assertThat(events()).hasSize(1);
  }

  @Test
  void events_waitWhileBindingsAreUnderWay_andFollowByThemselves() {
    binding.set(true);
    for (int i = 0; i < 200; i++) {
      recorder.report(failed("pod-" + i));
    }

    assertThat(recorder.pending()).isGreaterThan(150);

    binding.set(false);

    await().atMost(SOON).until(() -> events().size() == 200);
    assertThat(dropped).hasValue(0);
  }

  @Test
  void events_doNotWaitForEver() {
    binding.set(true);
    for (int i = 0; i < 200; i++) {
      recorder.report(failed("pod-" + i));
    }
    pass(EventRecorder.PATIENCE.plusSeconds(1));

    await().atMost(Duration.ofSeconds(5)).until(() -> events().size() == 200);
  }

  @Test
  void eventInANamespaceThatIsNotThere_isGivenUpAndCounted() throws InterruptedException {
    report(
        ObjectEvent.warning(
            Subject.pod(new PodRef("gone", "web", "uid")), "FailedScheduling", "Scheduling", "x"));

    await().atMost(SOON).untilAsserted(() -> assertThat(dropped).hasValue(1));
  }
}
