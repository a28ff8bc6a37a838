package io.berth.operator.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.engine.api.GroupState;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.operator.MovedClock;
import io.berth.operator.api.ScriptedServer;
import io.berth.operator.api.ScriptedServer.Reply;
import io.berth.operator.record.BerthMetrics;
import io.berth.operator.record.EventRecorder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The timing and target of status writes; the test acts as API server, watch and engine. */
class GroupStatusWriterTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final GroupRef GROUP = new GroupRef(GroupDialect.VOLCANO, "team", "train");
  private static final String OBJECT =
      "/apis/scheduling.volcano.sh/v1beta1/namespaces/team/podgroups/train";

  private record Sent(String path, JsonNode body) {}

  private final List<Sent> sent = new CopyOnWriteArrayList<>();
  private final ConcurrentLinkedQueue<Reply> replies = new ConcurrentLinkedQueue<>();
  private final MovedClock clock = new MovedClock();
  private final BerthMetrics metrics = new BerthMetrics(List.of("berth"));
  private volatile GenericKubernetesResource object = object(1, "{}");
  private ScriptedServer server;
  private GroupStatusWriter writer;

  @BeforeEach
  void start() throws IOException {
    server = new ScriptedServer(this::answer);
    writer = writer(server);
  }

  private GroupStatusWriter writer(ScriptedServer to) {
    return new GroupStatusWriter(
        new GroupStatusWriter.Parts(
            to.api(),
            Set.of("berth", "volcano"),
            group -> Optional.of(object),
            Stream::of,
            new EventRecorder(to.api(), about -> "berth", "test", clock, () -> false, () -> {}),
            metrics,
            clock));
  }

  @AfterEach
  void stop() {
    server.close();
    metrics.close();
  }

  private Reply answer(String path, JsonNode body) {
    if (!path.startsWith(OBJECT)) {
      return new Reply(201, "{}"); // an event
    }
    sent.add(new Sent(path, body));
    return Optional.ofNullable(replies.poll()).orElse(new Reply(200, body.toString()));
  }

  private static GenericKubernetesResource object(int version, String status) {
    return Serialization.unmarshal(
        """
        apiVersion: scheduling.volcano.sh/v1beta1
        kind: PodGroup
        metadata: {name: train, namespace: team, uid: u, resourceVersion: "%d"}
        status: %s
        """
            .formatted(version, status),
        GenericKubernetesResource.class);
  }

  private void report(String keptBackBy) {
    writer.take(List.of(waiting(GROUP, keptBackBy)));
  }

  private static GroupState waiting(GroupRef group, String keptBackBy) {
    return new GroupState(
        group,
        Optional.of(GroupModel.of(group, 3)),
        3,
        0,
        0,
        3,
        GroupState.Phase.WAITING,
        keptBackBy,
        new GroupState.Pods(3, true, true, true, false));
  }

  /** Sends reports until something was written, as the engine does. */
  private void reportUntilSent(int requests, String keptBackBy) {
    await()
        .atMost(SOON)
        .until(
            () -> {
              report(keptBackBy);
              return sent.size() >= requests;
            });
  }

  /** Updates the watched object with the last write. */
  private void watchShowsIt(int version) {
    object = object(version, sent.getLast().body().path("status").toString());
  }

  @Test
  void aStatusIsWrittenOnce_withTheVersionThatItWasComparedWith() {
    reportUntilSent(1, "no room");
    report("no room");
    watchShowsIt(2);
    report("no room");

    await().during(Duration.ofMillis(300)).atMost(SOON).until(() -> sent.size() == 1);
    assertThat(sent.getFirst().path()).isEqualTo(OBJECT + "/status");
    assertThat(sent.getFirst().body().at("/metadata/resourceVersion").asText()).isEqualTo("1");
    assertThat(sent.getFirst().body().at("/status/phase").asText()).isEqualTo("Inqueue");
  }

  @Test
  void aKindWithoutStatusSubresource_isPatchedItself() {
    replies.add(new Reply(404, "{}"));

    reportUntilSent(2, "no room");

    assertThat(sent).extracting(Sent::path).containsExactly(OBJECT + "/status", OBJECT);
  }

  @Test
  void aKindThatHasGotAStatusSubresource_isWrittenThereAgain() {
    replies.add(new Reply(404, "{}"));
    replies.add(new Reply(200, "{\"metadata\":{}}"));

    reportUntilSent(3, "no room");

    assertThat(sent)
        .extracting(Sent::path)
        .containsExactly(OBJECT + "/status", OBJECT, OBJECT + "/status");
  }

  @Test
  void aRequestThatFailed_isSentAgainAfterAPause_andCounted() {
    replies.add(new Reply(500, "{}"));
    reportUntilSent(1, "no room");
    await()
        .atMost(SOON)
        .until(() -> metrics.page().contains("failures_total{dialect=\"volcano\"} 1.0"));
    report("no room");
    await().during(Duration.ofMillis(300)).atMost(SOON).until(() -> sent.size() == 1);

    clock.move(Duration.ofSeconds(2));
    reportUntilSent(2, "no room");
  }

  /** One namespace has more groups than requests may be in flight. */
  @Test
  void groupsOfANamespaceWithMany_delayNoOther() throws IOException {
    Set<String> paths = ConcurrentHashMap.newKeySet();
    List<GroupState> reports = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      reports.add(waiting(new GroupRef(GroupDialect.VOLCANO, "large", "g" + i), "no room"));
    }
    reports.add(waiting(new GroupRef(GroupDialect.VOLCANO, "small", "train"), "no room"));
    CountDownLatch done = new CountDownLatch(1);
    try (ScriptedServer slow =
        new ScriptedServer(
            (path, body) -> {
              paths.add(path);
              awaitQuietly(done);
              return new Reply(500, "{}");
            })) {
      writer(slow).take(reports);

      await()
          .during(Duration.ofMillis(300)) // no more are sent until some are answered
          .atMost(SOON)
          .until(() -> paths.size() == GroupStatusWriter.IN_FLIGHT);
      assertThat(paths).anyMatch(path -> path.contains("/namespaces/small/"));
      done.countDown();
      await()
          .atMost(SOON)
          .until(
              () ->
                  metrics
                      .page()
                      .contains(
                          "failures_total{dialect=\"volcano\"} %d.0"
                              .formatted(GroupStatusWriter.IN_FLIGHT)));
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void otherWordsForTheSame_areWrittenAfterAWhile() {
    reportUntilSent(1, "room for 2");
    watchShowsIt(2);
    report("room for 1");
    await().during(Duration.ofMillis(300)).atMost(SOON).until(() -> sent.size() == 1);

    clock.move(GroupStatusWriter.BETWEEN_WORDINGS);
    reportUntilSent(2, "room for 1");

    assertThat(sent.getLast().body().at("/status/conditions/0/message").asText())
        .isEqualTo("room for 1");
  }
}
