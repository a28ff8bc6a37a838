package io.berth.operator.bind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.engine.model.PodRef;
import io.berth.operator.api.ScriptedServer;
import io.berth.operator.api.ScriptedServer.Reply;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The eviction of a victim, for all responses of the API server. */
class EvictorTest {

  private static final Reply FINE = new Reply(200, "{}");

  private final ConcurrentLinkedQueue<Reply> toConditions = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Reply> toDeletions = new ConcurrentLinkedQueue<>();
  private final List<JsonNode> conditions = new CopyOnWriteArrayList<>();
  private final List<JsonNode> deletions = new CopyOnWriteArrayList<>();
  private final List<String> ends = new CopyOnWriteArrayList<>();
  private ScriptedServer server;
  private Evictor evictor;

  @BeforeEach
  void start() throws IOException {
    server = new ScriptedServer(this::answer);
    evictor = new Evictor(server.api(), "berth", Clock.systemUTC());
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Reply answer(String path, JsonNode body) {
    boolean condition = path.endsWith("/status");
    (condition ? conditions : deletions).add(body);
    Reply scripted = (condition ? toConditions : toDeletions).poll();
    return scripted == null ? FINE : scripted;
  }

  private void evict() {
    evict(Evictor.Cause.PREEMPTION);
  }

  private void evict(Evictor.Cause cause) {
    evictor.evict(new PodRef("team", "victim", "uid-1"), cause, () -> ends.add("going"), ends::add);
    await().atMost(Duration.ofSeconds(20)).until(() -> ends.size() == 1);
  }

  @Test
  void victim_isMarkedAsDisrupted_thenDeletedByUid() {
    evict();

    assertThat(ends).containsExactly("going");
    JsonNode condition = conditions.getFirst().at("/status/conditions/0");
    assertThat(condition.path("type").asText()).isEqualTo("DisruptionTarget");
    assertThat(condition.path("reason").asText()).isEqualTo("PreemptionByScheduler");
    assertThat(conditions.getFirst().at("/metadata/uid").asText()).isEqualTo("uid-1");
    assertThat(deletions.getFirst().at("/preconditions/uid").asText()).isEqualTo("uid-1");
  }

  @Test
  void memberOfAGroupThatFailed_isNotSaidToEndInFavorOfAnotherPod() {
    evict(Evictor.Cause.groupIncomplete("2 of 3 members could start"));

    JsonNode condition = conditions.getFirst().at("/status/conditions/0");
    assertThat(condition.path("type").asText()).isEqualTo("DisruptionTarget");
    assertThat(condition.path("reason").asText()).isEqualTo("GroupIncomplete");
    assertThat(condition.path("message").asText()).isEqualTo("berth: 2 of 3 members could start");
    assertThat(ends).containsExactly("going");
  }

  @Test
  void throttledAndLostAnswers_areAskedForAgain() {
    toConditions.add(new Reply(429, "{}"));
    toConditions.add(new Reply(503, "{}"));
    toDeletions.add(new Reply(500, "{}"));

    evict();

    assertThat(ends).containsExactly("going");
    assertThat(conditions).hasSize(3);
    assertThat(deletions).hasSize(2);
  }

  @Test
  void victimThatIsGoneOrAnother_countsAsGone() {
    toConditions.add(new Reply(404, "{}"));
    toDeletions.add(new Reply(409, "{}"));

    evict();

    assertThat(ends).containsExactly("going");
  }

  @Test
  void refusal_leavesTheVictim() {
    toConditions.add(new Reply(403, "{\"message\":\"may not\"}"));

    evict();

    assertThat(ends).singleElement().asString().contains("may not");
    assertThat(deletions).isEmpty();
  }
}
