package io.berth.operator.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.api.Decision.Placed;
import io.berth.engine.model.PodRef;
import io.berth.operator.Placements;
import io.berth.operator.api.ScriptedServer;
import io.berth.operator.api.ScriptedServer.Reply;
import io.berth.operator.bind.VolumePreparation;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The lock by which HAMi's device plugin finds a pod; the test acts as API server. */
class NodeLocksTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05.678Z");
  private static final PodRef POD = new PodRef("team", "pod", "uid-pod");

  private final List<String> outcomes = new CopyOnWriteArrayList<>();
  private final List<String> waiting = new CopyOnWriteArrayList<>();
  private final Set<String> ended = ConcurrentHashMap.newKeySet();
  private final Set<String> pods = ConcurrentHashMap.newKeySet();
  private ScriptedServer server;
  private NodeLocks locks;

  // Guarded by this.
  private String lock = "";
  private int version = 1;
  private int conflicts;

  @BeforeEach
  void start() throws IOException {
    server = new ScriptedServer(this::answer);
    locks =
        new NodeLocks(
            server.api(),
            VolumePreparation.none(),
            Clock.fixed(NOW, ZoneOffset.UTC),
            (pod, reason) -> waiting.add(pod.name() + ": " + reason));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private synchronized Reply answer(String path, JsonNode body) {
    if (path.contains("/pods/")) {
      String name = path.substring(path.lastIndexOf('/') + 1);
      return ended.contains(name)
          ? new Reply(200, "{\"status\": {\"phase\": \"Failed\"}}")
          : new Reply(pods.contains(name) ? 200 : 404, "{}");
    }
    JsonNode metadata = body.path("metadata");
    if (!metadata.isMissingNode()) {
      if (conflicts > 0) {
        conflicts--;
        version++;
      }
      if (!metadata.path("resourceVersion").asText().equals(String.valueOf(version))) {
        return new Reply(409, "{\"message\": \"the object has been modified\"}");
      }
      lock = metadata.path("annotations").path(NodeLock.ANNOTATION).asText("");
      lock = lock.equals("null") ? "" : lock;
      version++;
    }
    ObjectNode node = JSON.createObjectNode();
    ObjectNode found = node.putObject("metadata").put("resourceVersion", String.valueOf(version));
    if (!lock.isEmpty()) {
      found.putObject("annotations").put(NodeLock.ANNOTATION, lock);
    }
    return new Reply(200, node.toString());
  }

  private synchronized void locked(String value) {
    lock = value;
    version++;
  }

  private synchronized String lock() {
    return lock;
  }

  private static Placed placed() {
    return placed(POD);
  }

  private static Placed placed(PodRef pod) {
    return Placements.placed(pod, "node-1", new NodeLockStep(pod, "node-1"));
  }

  private void prepare() {
    locks.prepare(
        placed(),
        () -> true,
        () -> outcomes.add("ready"),
        reason -> outcomes.add("failed: " + reason));
  }

  private void awaitOutcome() {
    await().atMost(Duration.ofSeconds(20)).until(() -> !outcomes.isEmpty());
  }

  @Test
  void aFreeNode_isLockedForThePod_inHamisWords() {
    prepare();
    awaitOutcome();

    assertThat(outcomes).containsExactly("ready");
    assertThat(lock()).isEqualTo("2026-01-02T03:04:05Z,team,pod");
  }

  @Test
  void ofTwoWhoTry_theOneWhoseVersionIsOlder_triesAgain() {
    synchronized (this) {
      conflicts = 2;
    }
    prepare();
    awaitOutcome();

    assertThat(outcomes).containsExactly("ready");
    assertThat(lock()).endsWith(",team,pod");
  }

  @Test
  void theLockOfAPodThatHasFailed_isReplaced() {
    ended.add("other");
    locked("2026-01-02T03:04:00Z,team,other");

    prepare();
    awaitOutcome();

    assertThat(outcomes).containsExactly("ready");
    assertThat(lock()).endsWith(",team,pod");
  }

  @Test
  void aPodThatWaitsForALock_saysSoAfterSomeSeconds() {
    pods.add("other");
    locked("2026-01-02T03:04:00Z,team,other");

    prepare();

    await().atMost(Duration.ofSeconds(20)).until(() -> !waiting.isEmpty());
    assertThat(waiting)
        .containsExactly(
            "pod: node node-1 is locked for pod team/other since 2026-01-02T03:04:00Z, which is"
                + " being given its GPU cards");
    assertThat(outcomes).isEmpty();
    locked("");
    awaitOutcome();
    assertThat(outcomes).containsExactly("ready");
  }

  @Test
  void podsOfOneDecision_takeTheLockOneAfterTheOther_inTheirOrder() {
    List<PodRef> gang =
        List.of(
            new PodRef("team", "first", "uid-1"),
            new PodRef("team", "second", "uid-2"),
            new PodRef("team", "third", "uid-3"));
    for (PodRef pod : gang) {
      pods.add(pod.name());
      locks.prepare(
          placed(pod),
          () -> true,
          () -> outcomes.add(pod.name()),
          reason -> outcomes.add("failed: " + reason));
    }

    for (int i = 1; i <= gang.size(); i++) {
      int served = i;
      await().atMost(Duration.ofSeconds(20)).until(() -> outcomes.size() == served);
      locked(""); // the agent gives the lock back
    }

    assertThat(outcomes).containsExactly("first", "second", "third");
  }

  @Test
  void theLockOfAnother_isAwaited_untilItsAgentGivesItBack() {
    pods.add("other");
    locked("2026-01-02T03:04:00Z,team,other");
    prepare();
    await().during(Duration.ofMillis(300)).atMost(Duration.ofSeconds(5)).until(outcomes::isEmpty);
    assertThat(lock()).endsWith("team,other");

    locked("");
    awaitOutcome();

    assertThat(outcomes).containsExactly("ready");
    assertThat(lock()).endsWith("team,pod");
  }

  @Test
  void theLockOfAPodThatIsGone_isReplaced() {
    locked("2026-01-02T03:04:00Z,team,gone");
    prepare();
    awaitOutcome();

    assertThat(lock()).endsWith("team,pod");
  }

  @Test
  void aLockOfMoreThanFiveMinutes_isReplaced_alsoOneThatNamesNobody() {
    pods.add("other");
    locked("2026-01-02T02:59:04Z,team,other");
    prepare();
    awaitOutcome();
    assertThat(lock()).endsWith("team,pod");

    outcomes.clear();
    locked("2026-01-02T04:59:04+02:00");
    prepare();
    awaitOutcome();
    assertThat(lock()).endsWith("team,pod");
  }

  @Test
  void aLockThatCannotBeRead_failsThePreparation_sayingWhere() {
    locked("yesterday");
    prepare();
    awaitOutcome();

    assertThat(outcomes.getFirst())
        .startsWith("failed: annotation hami.io/mutex.lock of node node-1 cannot be read")
        .endsWith("remove it");
  }

  @Test
  void aPodThatIsNotBound_givesItsOwnLockBack_andNobodyElses() {
    prepare();
    awaitOutcome();

    locks.release(placed());

    await().atMost(Duration.ofSeconds(20)).until(() -> lock().isEmpty());
    locked("2026-01-02T03:04:00Z,team,other");
    locks.release(placed());
    await()
        .during(Duration.ofMillis(300))
        .atMost(Duration.ofSeconds(5))
        .until(() -> lock().endsWith("other"));
  }
}
