package io.berth.operator.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.crds.Annotations;
import io.berth.engine.Engine;
import io.berth.engine.api.AdviceRequest;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.GaugeReading;
import io.berth.engine.api.GroupState;
import io.berth.engine.api.QueueCounts;
import io.berth.engine.api.QueueState;
import io.berth.engine.api.Refusal;
import io.berth.engine.api.ShadowDecision;
import io.berth.engine.api.ShadowState;
import io.berth.engine.kube.KubeEvents;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The loop with groups whose attempts are suspended while no message waits: the engine then asks to
 * be called again at once, which is a time of its own.
 */
class WaitingGroupsLoopTest {
  private final KubeEvents events = new KubeEvents();
  private final Set<String> placed = ConcurrentHashMap.newKeySet();
  private final Set<String> rejected = ConcurrentHashMap.newKeySet();
  private final SchedulingLoop loop =
      new SchedulingLoop(
          () -> new Engine(EngineOptions.defaults()),
          all -> {},
          new Decided(),
          EngineObserver.NONE,
          Clock.systemUTC(),
          System::nanoTime);

  private final class Decided implements Decisions {
    @Override
    public void decided(Decision decision, long tookNanos) {
      (decision instanceof Decision.Placed ? placed : rejected).add(decision.pod().name());
    }

    @Override
    public void consulted(AdviceRequest adviceRequest) {
      throw new AssertionError("asks for advice: " + adviceRequest);
    }

    @Override
    public boolean hasRoom() {
      return true;
    }

    @Override
    public void refused(Refusal refusal) {
      throw new AssertionError("refused: " + refusal);
    }

    @Override
    public void counted(QueueCounts counts) {}

    @Override
    public void gauged(List<GaugeReading> readings) {}

    @Override
    public void grouped(List<GroupState> reports) {}

    @Override
    public void queues(List<QueueState> states) {}

    @Override
    public void shadowed(ShadowDecision decision) {}

    @Override
    public void shadows(List<ShadowState> states) {}

    @Override
    public void replaced(String doing, Throwable failure) {
      throw new AssertionError(doing, failure);
    }

    @Override
    public void unheard(String doing, Throwable failure) {
      throw new AssertionError(doing, failure);
    }

    @Override
    public void failed(String doing, Throwable failure) {
      // Visible in the loop's problem.
    }
  }

  @BeforeEach
  void start() {
    loop.post(new ClusterEvent.PolicyServed(LoopObjects.policy("p")));
    loop.post(new ClusterEvent.DefaultPolicyChanged("p"));
    loop.start();
    loop.begin();
  }

  @AfterEach
  void stop() {
    loop.close();
  }

  private static Node node(String name, String label) {
    return LoopObjects.node(name, Map.of("x", label));
  }

  private static Pod pod(String name, String cpu, Map<String, String> annotations) {
    return new PodBuilder(LoopObjects.pod(name, cpu))
        .editMetadata()
        .withAnnotations(annotations)
        .endMetadata()
        .build();
  }

  private static Map<String, String> group(String name, int minimum) {
    return Map.of(Annotations.GROUP, name, Annotations.GROUP_MIN, String.valueOf(minimum));
  }

  @Test
  void eightGroupsThatFitNowhere_andAnEventThatWakesThem_doNotStopTheLoop() {
    for (int i = 0; i < 9; i++) {
      loop.post(events.upserted(node("n" + i, "before")));
    }
    for (int group = 0; group < 8; group++) {
      loop.post(events.upserted(pod("g" + group + "-0", "9", group("g" + group, 2))));
      loop.post(events.upserted(pod("g" + group + "-1", "9", group("g" + group, 2))));
    }
    await().until(() -> rejected.size() == 16);

    loop.post(events.upserted(node("n2", "after")));
    loop.post(events.upserted(node("n3", "after")));

    loop.post(events.upserted(pod("web", "1", Map.of())));
    await().until(() -> placed.contains("web"));
    assertThat(loop.problem()).isEmpty();
  }

  @Test
  void aGroupOf513Pods_isPlaced() {
    for (int i = 0; i < 9; i++) {
      loop.post(events.upserted(node("n" + i, "before")));
    }
    for (int i = 0; i < 513; i++) {
      loop.post(events.upserted(pod("wide-" + i, "10m", group("wide", 513))));
    }

    await().until(() -> placed.size() == 513 || loop.problem().isPresent());
    assertThat(loop.problem()).isEmpty();
  }
}
