package io.berth.operator.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.engine.model.PodRef;
import io.berth.operator.api.HttpApiCalls;
import io.berth.operator.api.ScriptedServer;
import io.berth.operator.api.ScriptedServer.Reply;
import io.berth.operator.record.ObjectEvent.Subject;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Events that the API server does not accept at once. */
class EventRetryTest {

  private static final Duration SOON = Duration.ofSeconds(20);

  private final ConcurrentLinkedQueue<Reply> replies = new ConcurrentLinkedQueue<>();
  private final List<String> notes = new CopyOnWriteArrayList<>();

  private Reply answer(String path, JsonNode event) {
    notes.add(event.path("note").asText());
    Reply prepared = replies.poll();
    return prepared == null ? new Reply(201, "{}") : prepared;
  }

  private long attempts(String pod) {
    return notes.stream().filter(note -> note.endsWith(" " + pod)).count();
  }

  private static ObjectEvent event(String pod) {
    Subject subject = Subject.pod(new PodRef("team", pod, "uid-" + pod));
    return ObjectEvent.warning(subject, "FailedScheduling", "Scheduling", "no room for " + pod);
  }

  private static EventRecorder recorder(HttpApiCalls api, Runnable onDropped) {
    return new EventRecorder(
        api, about -> "berth", "test", Clock.systemUTC(), () -> false, onDropped);
  }

  @Test
  void throttledEvent_waitsAsLongAsItWasAskedTo_whateverIsReportedMeanwhile() throws Exception {
    replies.add(new Reply(429, "{}", 4));
    try (ScriptedServer server = new ScriptedServer(this::answer);
        HttpApiCalls api = server.api()) {
      EventRecorder recorder = recorder(api, () -> {});

      recorder.report(event("first"));
      await().atMost(SOON).until(() -> attempts("first") == 1);
      recorder.report(event("second"));

      await()
          .during(Duration.ofSeconds(2))
          .atMost(SOON)
          .until(
              () -> {
                recorder.pump(); // as every report does
                return attempts("first") == 1;
              });
      await().atMost(SOON).until(() -> attempts("first") == 2 && attempts("second") == 1);
      assertThat(recorder.awaitQuiet(SOON)).isTrue();
    }
  }

  @Test
  void finishedRecorder_discardsWhatIsLeft_andWhatIsReportedLater() throws Exception {
    replies.add(new Reply(429, "{}", 1));
    List<String> dropped = new CopyOnWriteArrayList<>();
    try (ScriptedServer server = new ScriptedServer(this::answer);
        HttpApiCalls api = server.api()) {
      EventRecorder recorder = recorder(api, () -> dropped.add("an event"));
      recorder.report(event("first"));
      await().atMost(SOON).until(() -> attempts("first") == 1);

      int left = recorder.finish(Duration.ofMillis(10));

      assertThat(left).isEqualTo(1);
      recorder.report(event("second"));
      await()
          .during(Duration.ofSeconds(2))
          .atMost(SOON)
          .until(() -> attempts("first") == 1 && attempts("second") == 0);
      assertThat(recorder.pending()).isZero();
      assertThat(dropped).as("events that were given up").isEmpty();
    }
  }
}
