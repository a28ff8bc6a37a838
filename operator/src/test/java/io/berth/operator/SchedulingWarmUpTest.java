package io.berth.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.berth.operator.fixtures.ExpectedLog;
import io.berth.sandbox.Sandbox;
import io.berth.sandbox.SandboxOptions;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The warm-up places synthetic pods, without any effect outside the process. */
class SchedulingWarmUpTest {
  private static final Duration SOON = Duration.ofMinutes(2);
  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration BRIEF = Duration.ofMillis(1);

  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
  private Sandbox sandbox;
  private KubernetesClient client;

  @BeforeEach
  void start() {
    sandbox = Sandbox.start(SandboxOptions.defaults());
    client =
        new KubernetesClientBuilder()
            .withConfig(Config.fromKubeconfig(sandbox.kubeconfig()))
            .build();
    log.start();
    root.addAppender(log);
  }

  @AfterEach
  void stop() {
    root.detachAppender(log);
    client.close();
    sandbox.close();
  }

  private SchedulingWarmUp warmUp(int nodes, int pods, Duration roundTimeout) {
    return warmUp(nodes, pods, roundTimeout, LONG, CompletableFuture.completedFuture(null));
  }

  private SchedulingWarmUp warmUp(
      int nodes,
      int pods,
      Duration roundTimeout,
      Duration whileListing,
      CompletableFuture<Void> listed) {
    SchedulingWarmUp warmUp =
        new SchedulingWarmUp(
            client,
            BerthOptions.local("one"),
            new SchedulingWarmUp.Extent(
                nodes, 40, pods, whileListing, BRIEF, BRIEF, roundTimeout, LONG),
            listed);
    if (listed.isDone()) {
      warmUp.candidateNow();
    }
    return warmUp;
  }

  private List<String> logged() {
    return List.copyOf(log.list).stream()
        .filter(event -> event.getLevel().isGreaterOrEqual(Level.INFO))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  private static void awaitEnd(SchedulingWarmUp warmUp) {
    await().atMost(SOON).until(warmUp::hasEnded);
  }

  @Test
  void placesPods_andSendsNothingToTheApiServer() {
    try (SchedulingWarmUp warmUp = warmUp(30, 1000, SOON)) {
      warmUp.start();
      awaitEnd(warmUp);
    }

    assertThat(sandbox.apiUsage()).isEmpty();
    assertThat(logged())
        .singleElement()
        .asString()
        .startsWith(
            "Warmed up with 1000 synthetic pods, visible only to this process: 40 of them took ")
        .endsWith(" ms at the end");
  }

  @Test
  void placesPods_whileTheClusterIsBeingListed() {
    CompletableFuture<Void> listed = new CompletableFuture<>();
    try (SchedulingWarmUp warmUp = warmUp(30, 40, SOON, BRIEF, listed)) {
      warmUp.start();
      awaitEnd(warmUp);
    }

    assertThat(listed).isNotDone();
    assertThat(logged()).singleElement().asString().startsWith("Warmed up with 40 synthetic pods");
  }

  @Test
  void waitsUntilAReplicaOfASmallClusterIsACandidate() {
    CompletableFuture<Void> listed = new CompletableFuture<>();
    try (SchedulingWarmUp warmUp = warmUp(30, 40, SOON, LONG, listed)) {
      warmUp.start();
      listed.complete(null);
      warmUp.candidateNow();
      awaitEnd(warmUp);
    }
    assertThat(logged()).singleElement().asString().startsWith("Warmed up with 40 synthetic pods");
  }

  @Test
  void doesNotBegin_whenTheReplicaEndsBeforeItIsACandidate() {
    CompletableFuture<Void> listed = new CompletableFuture<>();
    try (SchedulingWarmUp warmUp = warmUp(30, 40, SOON, LONG, listed)) {
      warmUp.start();
      listed.complete(null);
    }
    assertThat(logged()).isEmpty();
  }

  @Test
  void endsAtOnce_whenThisReplicaLeads() {
    try (SchedulingWarmUp warmUp = warmUp(30, Integer.MAX_VALUE, SOON)) {
      warmUp.start();
      await()
          .atMost(SOON)
          .until(
              () ->
                  Thread.getAllStackTraces().keySet().stream()
                      .anyMatch(thread -> thread.getName().equals("engine")));

      warmUp.stop();

      awaitEnd(warmUp);
    }
    assertThat(logged()).singleElement().asString().endsWith("; cut short");
  }

  @Test
  void doesNotBegin_whenThisReplicaLeadsAlready() {
    try (SchedulingWarmUp warmUp = warmUp(30, 1000, SOON)) {
      warmUp.stop();

      warmUp.start();

      awaitEnd(warmUp);
    }
    assertThat(logged()).isEmpty();
  }

  @Test
  @ExpectedLog("The warm-up ends early: 0 of 40 synthetic pods were placed")
  void podsThatAreNotPlacedInTime_endTheWarmUp_withoutAStackTrace() {
    int noNode = 0;
    try (SchedulingWarmUp warmUp = warmUp(noNode, 1000, Duration.ofMillis(200))) {
      warmUp.start();
      awaitEnd(warmUp);
    }

    assertThat(logged())
        .containsExactly(
            "The warm-up ends early: 0 of 40 synthetic pods were placed within 200 ms. This replica"
                + " may schedule slowly at first when it leads");
    assertThat(log.list.getLast().getThrowableProxy()).isNull();
  }
}
