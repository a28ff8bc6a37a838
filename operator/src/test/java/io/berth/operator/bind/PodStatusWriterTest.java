package io.berth.operator.bind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import io.berth.engine.api.WaitCause;
import io.berth.engine.model.PodRef;
import io.berth.operator.api.Backoff;
import io.berth.operator.api.ScriptedServer;
import io.berth.operator.api.ScriptedServer.Reply;
import io.berth.operator.bind.PodStatusWriter.SchedulingStatus;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The content and timing of status writes; the test acts as API server and watch. */
class PodStatusWriterTest {
  private static final PodRef POD = new PodRef("team", "web", "uid-web");
  private static final SchedulingStatus NOTHING = new SchedulingStatus("", "", "");

  private final Map<PodRef, SchedulingStatus> pods = new ConcurrentHashMap<>(Map.of(POD, NOTHING));
  private final ConcurrentLinkedQueue<Integer> answers = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Reply> replies = new ConcurrentLinkedQueue<>();
  private final List<JsonNode> patches = new CopyOnWriteArrayList<>();
  private final AtomicReference<CountDownLatch> mayAnswer =
      new AtomicReference<>(new CountDownLatch(0));
  private ScriptedServer server;
  private PodStatusWriter writer;

  @BeforeEach
  void start() throws IOException {
    server = new ScriptedServer(this::answer);
    writer =
        new PodStatusWriter(
            server.api(),
            pod -> Optional.ofNullable(pods.get(pod)),
            Clock.fixed(Instant.parse("2026-01-01T00:00:00Z"), ZoneOffset.UTC));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Reply answer(String path, JsonNode body) {
    patches.add(body);
    Reply prepared = replies.poll();
    if (prepared != null) {
      return prepared;
    }
    Integer code = answers.poll();
    try {
      assertThat(mayAnswer.get().await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return new Reply(code == null ? 200 : code, "{}");
  }

  private void awaitPatches(int count) {
    await().atMost(Duration.ofSeconds(20)).until(() -> patches.size() >= count);
  }

  private List<String> messages() {
    return patches.stream()
        .map(patch -> patch.at("/status/conditions/0/message").asText())
        .toList();
  }

  @Test
  void verdict_isWrittenForThisPodAlone() {
    writer.waits(POD, WaitCause.NO_ROOM, "no room", "node-1");
    awaitPatches(1);

    JsonNode patch = patches.getFirst();
    assertThat(patch.at("/metadata/uid").asText()).isEqualTo("uid-web");
    assertThat(patch.at("/status/nominatedNodeName").asText()).isEqualTo("node-1");
    assertThat(patch.at("/status/conditions/0/reason").asText()).isEqualTo("Unschedulable");
    assertThat(messages()).containsExactly("no room");
  }

  @Test
  void aPodThatCouldNotBeBound_hasTheReasonSchedulerError_andNoNomination() {
    pods.put(POD, new SchedulingStatus("Unschedulable", "no room", "node-1"));

    writer.failed(POD, "binding rejected: etcd has no leader");
    awaitPatches(1);

    JsonNode patch = patches.getFirst();
    assertThat(patch.at("/status/conditions/0/reason").asText()).isEqualTo("SchedulerError");
    assertThat(patch.at("/status/nominatedNodeName").isNull()).isTrue();
    assertThat(patch.at("/status/conditions/0/lastTransitionTime").isMissingNode())
        .as("the status of the condition stays False")
        .isTrue();
    assertThat(messages()).containsExactly("binding rejected: etcd has no leader");
  }

  @Test
  void verdictThatThePodHasAlready_orOnAPodThatIsBound_isNotWritten() {
    pods.put(POD, new SchedulingStatus("Unschedulable", "no room", ""));

    writer.waits(POD, WaitCause.NO_ROOM, "no room", "");
    writer.waits(new PodRef("team", "bound", "uid-bound"), WaitCause.NO_ROOM, "no room", "");
    writer.waits(POD, WaitCause.NO_ROOM, "still no room", "");
    awaitPatches(1);

    assertThat(messages()).containsExactly("still no room");
  }

  @Test
  void nominationThatEnded_isTakenOff_andTheReasonStays() {
    pods.put(POD, new SchedulingStatus("Unschedulable", "no room", "node-1"));

    writer.nominationEnded(POD);
    awaitPatches(1);

    assertThat(patches.getFirst().at("/status/nominatedNodeName").isNull()).isTrue();
    assertThat(patches.getFirst().at("/status/conditions").isMissingNode()).isTrue();
  }

  @Test
  void nominationOfAPodWhoseBindingIsPrepared_isOneRequest_andLeavesTheConditionAsItWas() {
    PodRef rejected = new PodRef("team", "rejected", "uid-rejected");
    pods.put(rejected, new SchedulingStatus("Unschedulable", "no room", ""));

    writer.nominated(POD, "node-1");
    awaitPatches(1);
    writer.nominated(rejected, "node-1");
    awaitPatches(2);

    assertThat(patches)
        .allMatch(patch -> patch.at("/status/nominatedNodeName").asText().equals("node-1"))
        .allMatch(patch -> patch.at("/status/conditions").isMissingNode());
  }

  @Test
  void nominationThatThePodHasAlready_isNotWritten() {
    pods.put(POD, new SchedulingStatus("", "", "node-1"));

    writer.nominated(POD, "node-1");
    writer.waits(POD, WaitCause.NO_ROOM, "no room", "node-1");
    awaitPatches(1);

    assertThat(messages()).containsExactly("no room");
  }

  @Test
  void nominationThatIsNotSentYet_isDroppedWhenTheBindingFollows() {
    PodRef other = new PodRef("team", "other", "uid-other");
    pods.put(other, NOTHING);
    mayAnswer.set(new CountDownLatch(1));
    writer.waits(POD, WaitCause.NO_ROOM, "no room", "");
    awaitPatches(1);

    writer.nominated(POD, "node-1");
    writer.bindingFollows(POD);
    mayAnswer.get().countDown();
    writer.waits(other, WaitCause.NO_ROOM, "no room there", "");
    awaitPatches(2);

    assertThat(messages()).containsExactly("no room", "no room there");
  }

  @Test
  void nominationThatIsRefusedBecauseThePodIsBoundByNow_isNeitherLoggedNorRepeated() {
    Logger logger = (Logger) LoggerFactory.getLogger(PodStatusWriter.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    logger.addAppender(log);
    PodRef other = new PodRef("team", "other", "uid-other");
    PodRef bound = new PodRef("team", "bound-by-now", "uid-bound-by-now");
    pods.put(other, NOTHING);
    pods.put(bound, NOTHING);
    try {
      for (int code : List.of(422, 503)) {
        int sent = patches.size();
        answers.add(code);
        mayAnswer.set(new CountDownLatch(1));
        writer.nominated(bound, "node-" + code);
        awaitPatches(sent + 1);
        writer.bindingFollows(bound);
        mayAnswer.get().countDown();
        writer.waits(other, WaitCause.NO_ROOM, "after " + code, "");
        awaitPatches(sent + 2);
      }

      await()
          .during(Duration.ofMillis(1500))
          .atMost(Duration.ofSeconds(20))
          .until(() -> patches.size() == 4);
      assertThat(log.list).noneMatch(line -> line.getFormattedMessage().contains("bound-by-now"));
    } finally {
      logger.detachAppender(log);
    }
  }

  @Test
  void nominationWhoseRequestMayHaveBeenExecuted_isTakenOffWhenTheBindingFails() {
    answers.add(503);
    mayAnswer.set(new CountDownLatch(1));
    writer.nominated(POD, "node-1");
    awaitPatches(1);

    writer.failed(POD, "binding rejected: no volume was provisioned");
    mayAnswer.get().countDown();
    awaitPatches(2);

    JsonNode patch = patches.get(1);
    assertThat(patch.at("/status/nominatedNodeName").isNull()).isTrue();
    assertThat(patch.at("/status/conditions/0/reason").asText()).isEqualTo("SchedulerError");
  }

  @Test
  void manyNominationsOfANamespaceThatIsSlow_delayNoOther() {
    CountDownLatch slow = new CountDownLatch(1);
    mayAnswer.set(slow);
    for (int i = 0; i < 100; i++) {
      PodRef pod = new PodRef("slow", "pod-" + i, "uid-slow-" + i);
      pods.put(pod, NOTHING);
      writer.nominated(pod, "node-1");
    }
    awaitPatches(16);
    mayAnswer.set(new CountDownLatch(0));

    writer.nominated(POD, "node-2");

    await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () ->
                patches.stream()
                    .anyMatch(
                        patch -> patch.at("/status/nominatedNodeName").asText().equals("node-2")));
    assertThat(slow.getCount()).as("none of the slow requests has been answered").isEqualTo(1);
    slow.countDown();
    awaitPatches(101);
  }

  @Test
  void throttledVerdict_isSentAgain() {
    answers.addAll(List.of(429, 503));

    writer.waits(POD, WaitCause.NO_ROOM, "no room", "");
    awaitPatches(3);

    assertThat(messages()).containsExactly("no room", "no room", "no room");
  }

  @Test
  void throttledVerdict_waitsAsLongAsItWasAskedTo_whileOthersAreWritten() {
    PodRef other = new PodRef("team", "other", "uid-other");
    pods.put(other, NOTHING);
    replies.add(new Reply(429, "{}", 4));

    writer.waits(POD, WaitCause.NO_ROOM, "no room", "");
    awaitPatches(1);
    writer.waits(other, WaitCause.NO_ROOM, "no room there", "");
    awaitPatches(2);

    await()
        .during(Duration.ofSeconds(2))
        .atMost(Duration.ofSeconds(20))
        .until(() -> messages().equals(List.of("no room", "no room there")));
    awaitPatches(3);
    assertThat(messages()).containsExactly("no room", "no room there", "no room");
  }

  @Test
  void verdictThatIsRefused_isLogged_butNotAfterItsSessionHasEnded() {
    Logger logger = (Logger) LoggerFactory.getLogger(PodStatusWriter.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    logger.addAppender(log);
    PodRef other = new PodRef("team", "other", "uid-other");
    pods.put(other, NOTHING);
    try {
      answers.add(403);
      mayAnswer.set(new CountDownLatch(1));
      writer.waits(POD, WaitCause.NO_ROOM, "no room", "");
      awaitPatches(1);
      writer.clear();
      mayAnswer.get().countDown();

      answers.add(403);
      writer.waits(other, WaitCause.NO_ROOM, "no room", "");

      await().atMost(Duration.ofSeconds(20)).until(() -> !log.list.isEmpty());
      assertThat(log.list)
          .singleElement()
          .extracting(ILoggingEvent::getFormattedMessage)
          .asString()
          .startsWith("Status of pod team/other was not written: ");
    } finally {
      logger.detachAppender(log);
    }
  }

  private PodStatusWriter impatient() {
    return new PodStatusWriter(
        server.api(),
        pod -> Optional.ofNullable(pods.get(pod)),
        Clock.systemUTC(),
        new Backoff(Duration.ofMillis(1), Duration.ofMillis(5)));
  }

  @Test
  void verdictThatFailsManyTimes_isWrittenInTheEnd_onceForEachPod() {
    answers.addAll(List.of(503, 429, 500, 403, 503, 503, 429, 500, 503, 403));

    impatient().waits(POD, WaitCause.NO_ROOM, "the group waits", "");
    awaitPatches(11);

    await()
        .during(Duration.ofMillis(300))
        .atMost(Duration.ofSeconds(10))
        .until(() -> patches.size() == 11);
    assertThat(messages()).containsOnly("the group waits");
  }

  @Test
  void verdictOnAPodThatIsBoundMeanwhile_isDropped() {
    for (int i = 0; i < 1000; i++) {
      answers.add(503);
    }
    impatient().waits(POD, WaitCause.NO_ROOM, "no room", "");
    awaitPatches(3);

    pods.remove(POD);

    AtomicReference<Integer> seen = new AtomicReference<>(0);
    await()
        .pollInterval(Duration.ofMillis(200))
        .atMost(Duration.ofSeconds(20))
        .until(() -> seen.getAndSet(patches.size()) == patches.size());
  }

  @Test
  void verdictThatTheServerWillNeverTake_isNotSentAgain() {
    answers.addAll(List.of(422));

    impatient().waits(POD, WaitCause.NO_ROOM, "no room", "");
    awaitPatches(1);

    await()
        .during(Duration.ofMillis(300))
        .atMost(Duration.ofSeconds(10))
        .until(() -> patches.size() == 1);
  }

  @Test
  void throttledVerdict_yieldsToANewerOne() {
    answers.add(429);
    mayAnswer.set(new CountDownLatch(1));

    writer.waits(POD, WaitCause.NO_ROOM, "no room", "");
    awaitPatches(1);
    writer.waits(POD, WaitCause.NO_ROOM, "less room still", "");
    mayAnswer.get().countDown();
    awaitPatches(2);
    await()
        .during(Duration.ofMillis(1500))
        .atMost(Duration.ofSeconds(10))
        .until(() -> patches.size() == 2);

    assertThat(messages()).containsExactly("no room", "less room still");
  }
}
