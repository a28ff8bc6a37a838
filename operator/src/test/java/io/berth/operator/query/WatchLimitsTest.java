package io.berth.operator.query;

import static io.berth.operator.query.QueryGround.in;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.serving.http.HttpAnswer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The bounds of watches: their number, their time, and the size of what they send at once. */
class WatchLimitsTest {
  private static final String OWN = in("team-a", "decisions");
  private static final long FIRST = WatchGround.BEGAN.toEpochMilli() << 20;

  private final WatchGround ground = new WatchGround(4, 3, 2);

  @AfterEach
  void stop() {
    ground.close();
  }

  private void pass(long seconds) {
    ground.now = ground.now.plusSeconds(seconds);
  }

  private static void nothing() {}

  private static String message(HttpAnswer answer) {
    return new String(answer.body(), StandardCharsets.UTF_8);
  }

  @Test
  void watches_areLimited_inTotalAndForEachUser() {
    List<HttpAnswer> open = new ArrayList<>();
    for (String user : List.of("tenant", "tenant", "admin")) {
      HttpAnswer answer = ground.get(user, OWN, "watch=1");
      assertThat(answer.status()).isEqualTo(200);
      open.add(answer);
    }
    HttpAnswer ofUser = ground.get("tenant", OWN, "watch=1");
    assertThat(ofUser.status()).isEqualTo(429);
    assertThat(ofUser.headers()).containsKey("Retry-After");
    assertThat(message(ofUser)).contains("user \\\"tenant\\\" has 2 watches");
    HttpAnswer inTotal = ground.get("admin", OWN, "watch=1");
    assertThat(inTotal.status()).isEqualTo(429);
    assertThat(message(inTotal)).contains("3 watches are in progress");

    open.getFirst().stream().orElseThrow().close();
    assertThat(ground.get("admin", OWN, "watch=1").status()).isEqualTo(200);
  }

  @Test
  void manyDecisions_areSentInPages() throws Exception {
    try (WatchGround large = new WatchGround(1_000, 3, 2)) {
      for (int i = 0; i < 450; i++) {
        large.place("team-a", "p" + i);
      }
      List<JsonNode> initial =
          large.watch("tenant", OWN, "", WatchLimitsTest::nothing, WatchLimitsTest::nothing);
      assertThat(initial).hasSize(450);
      List<JsonNode> changes =
          large.watch(
              "tenant",
              OWN,
              "resourceVersion=" + FIRST,
              WatchLimitsTest::nothing,
              WatchLimitsTest::nothing);
      assertThat(changes).hasSize(450);
      assertThat(changes.getLast().at("/object/metadata/resourceVersion").asLong())
          .isEqualTo(FIRST + 450);
      assertThat(large.watch("tenant", OWN, "", WatchLimitsTest::nothing))
          .as("two pages")
          .hasSize(400);
    }
  }

  @Test
  void watch_endsAfterItsTimeout_orWithinTenMinutes() throws Exception {
    Runnable[] steps = new Runnable[700];
    for (int i = 0; i < steps.length; i++) {
      int minute = i;
      steps[i] =
          () -> {
            pass(1);
            ground.hold("team-a", "a", "uid-" + minute);
          };
    }
    assertThat(seconds(ground.watch("tenant", OWN, "timeoutSeconds=7", steps))).isEqualTo(6);
    assertThat(seconds(ground.watch("tenant", OWN, "resourceVersion=" + version(), steps)))
        .isBetween(299L, 600L);
    assertThat(
            seconds(
                ground.watch(
                    "tenant", OWN, "timeoutSeconds=9999&resourceVersion=" + version(), steps)))
        .isBetween(299L, 600L);
  }

  @Test
  void closing_endsWatches() throws Exception {
    List<JsonNode> events =
        ground.watch(
            "tenant", OWN, "", ground.watches::close, () -> ground.place("team-a", "late"));
    assertThat(events).isEmpty();
  }

  private String version() throws Exception {
    return ground.list("tenant", OWN, "").at("/metadata/resourceVersion").asText();
  }

  private static long seconds(List<JsonNode> events) {
    return events.stream().filter(event -> event.path("type").asText().equals("ADDED")).count();
  }

  /** A page ends after 256 KiB; here, a decision is larger than that. */
  @Test
  void largeDecisions_areSentOneByOne() throws Exception {
    String large = "x".repeat(300 << 10);
    for (String pod : List.of("a", "b", "c")) {
      ground.hold("team-a", pod, large);
    }

    assertThat(ground.watch("tenant", OWN, "")).hasSize(1);
    assertThat(ground.watch("tenant", OWN, "", WatchLimitsTest::nothing)).hasSize(2);
    assertThat(
            ground.watch(
                "tenant",
                OWN,
                "",
                WatchLimitsTest::nothing,
                WatchLimitsTest::nothing,
                WatchLimitsTest::nothing))
        .hasSize(3);
    String changes = "resourceVersion=" + FIRST;
    assertThat(ground.watch("tenant", OWN, changes)).hasSize(1);
    assertThat(
            ground.watch(
                "tenant",
                OWN,
                changes,
                WatchLimitsTest::nothing,
                WatchLimitsTest::nothing,
                WatchLimitsTest::nothing))
        .hasSize(3);
  }

  @Test
  void webSocket_isAnsweredWithTheAdviceToUseHttp() throws Exception {
    for (int i = 0; i < 5; i++) {
      HttpAnswer answer = ground.upgraded("tenant", OWN, "watch=1");
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.stream()).isEmpty();
      assertThat(message(answer)).contains("\"type\":\"ERROR\"", "watch over plain HTTP");
    }
    assertThat(ground.watches.inProgress()).isZero();
  }
}
