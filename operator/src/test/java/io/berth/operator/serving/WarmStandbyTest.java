package io.berth.operator.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.berth.operator.Berth;
import io.berth.operator.BerthOptions;
import io.berth.operator.leader.LeaseTimes;
import io.fabric8.kubernetes.api.model.Pod;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A replica that does not lead warms up, without visible effects. */
class WarmStandbyTest {
  private static final Duration SOON = Duration.ofMinutes(2);
  private static final LeaseTimes TIMES =
      new LeaseTimes(Duration.ofSeconds(60), Duration.ofSeconds(50), Duration.ofMillis(200));

  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
  private BerthOnSandbox cluster;

  @BeforeEach
  void start() throws Exception {
    cluster = new BerthOnSandbox(2);
    log.start();
    root.addAppender(log);
  }

  @AfterEach
  void stop() {
    root.detachAppender(log);
    cluster.close();
  }

  private Berth replica(String name) throws Exception {
    return Berth.start(
        BerthOptions.local(name).withHttp(0, true).withLeaderElection(TIMES).withWarmUp(),
        cluster.admin());
  }

  private boolean hasLogged(String start) {
    return List.copyOf(log.list).stream()
        .anyMatch(event -> event.getFormattedMessage().startsWith(start));
  }

  private static String get(Berth berth, String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + berth.httpPort() + path)).build();
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }
  }

  @Test
  void standbyWarmsUp_andItsMetricsAndExplanationsKnowNothingOfIt() throws Exception {
    try (Berth leader = replica("one")) {
      await().atMost(SOON).until(leader::isLeading);
      try (Berth standby = replica("two")) {
        await().atMost(SOON).until(() -> hasLogged("Warmed up with "));

        assertThat(get(standby, "/metrics"))
            .contains("scheduler_schedule_attempts_total{profile=\"berth\",result=\"scheduled\"} 0")
            .doesNotContain("made-up");
        assertThat(get(standby, "/explain/berth-warm-up/pod-60-0"))
            .startsWith("there is no decision about pod berth-warm-up/pod-60-0");
        assertThat(cluster.admin().v1().events().inAnyNamespace().list().getItems())
            .extracting(event -> event.getInvolvedObject().getNamespace())
            .doesNotContain("berth-warm-up");
        assertThat(standby.problems()).isEmpty();
      }
    }
  }

  @Test
  void warmUpEnds_whenTheStandbyTakesOver() throws Exception {
    Berth leader = replica("one");
    await().atMost(SOON).until(leader::isLeading);
    try (Berth standby = replica("two")) {
      leader.close();
      await().atMost(SOON).until(standby::isLeading);
      cluster.createPod("web", "", "1");

      await()
          .atMost(SOON)
          .untilAsserted(
              () -> {
                Pod pod = cluster.pod("web");
                assertThat(pod.getSpec().getNodeName()).startsWith("node-a-");
              });
      assertThat(hasLogged("Warmed up with 6000 synthetic pods")).isFalse();
    }
  }
}
