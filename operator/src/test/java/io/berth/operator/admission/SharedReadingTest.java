package io.berth.operator.admission;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class SharedReadingTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  private record Begun(Set<String> topics, CompletableFuture<String> answer) {}

  private final List<Begun> begun = new CopyOnWriteArrayList<>();
  private final SharedReading<String, String> readings =
      new SharedReading<>(
          topics -> {
            Begun reading = new Begun(topics, new CompletableFuture<>());
            begun.add(reading);
            return reading.answer();
          },
          Duration.ZERO,
          1);

  private void awaitBegun(int count) {
    await().atMost(SOON).until(() -> begun.size() == count);
  }

  @Test
  void reading_beginsAtOnce_whereNoneIsUnderWay() throws Exception {
    CompletableFuture<String> result = readings.fromNow(Set.of("team"));
    awaitBegun(1);
    begun.getFirst().answer().complete("first");

    assertThat(begun.getFirst().topics()).containsExactly("team");
    assertThat(result.get(20, SECONDS)).isEqualTo("first");
  }

  @Test
  void callers_thatComeWhileOneIsUnderWay_shareTheNext_andNotThatOne() throws Exception {
    CompletableFuture<String> first = readings.fromNow(Set.of("a"));
    awaitBegun(1);
    CompletableFuture<String> second = readings.fromNow(Set.of("b"));
    CompletableFuture<String> third = readings.fromNow(Set.of("c"));
    begun.getFirst().answer().complete("first");
    awaitBegun(2);

    assertThat(first.get(20, SECONDS)).isEqualTo("first");
    assertThat(second).isNotDone();
    begun.get(1).answer().complete("second");
    assertThat(second.get(20, SECONDS)).isEqualTo("second");
    assertThat(third.get(20, SECONDS)).isEqualTo("second");
    assertThat(begun.get(1).topics()).containsExactlyInAnyOrder("b", "c");
    assertThat(begun).hasSize(2);
  }

  @Test
  void reading_thatFails_failsForItsCallersAlone() throws Exception {
    CompletableFuture<String> first = readings.fromNow(Set.of("a"));
    awaitBegun(1);
    CompletableFuture<String> second = readings.fromNow(Set.of("b"));
    begun.getFirst().answer().completeExceptionally(new IllegalStateException("no answer"));
    awaitBegun(2);
    begun.get(1).answer().complete("second");

    assertThatThrownBy(() -> first.get(20, SECONDS)).hasMessageContaining("no answer");
    assertThat(second.get(20, SECONDS)).isEqualTo("second");
  }

  @Test
  void callers_waitForNoReadingThatIsUnderWay_unlessThereAreAsManyAsMayBe() throws Exception {
    SharedReading<String, String> two =
        new SharedReading<>(
            topics -> {
              Begun reading = new Begun(topics, new CompletableFuture<>());
              begun.add(reading);
              return reading.answer();
            },
            Duration.ZERO,
            2);
    CompletableFuture<String> first = two.fromNow(Set.of("a"));
    awaitBegun(1);
    CompletableFuture<String> second = two.fromNow(Set.of("b"));
    awaitBegun(2);
    CompletableFuture<String> third = two.fromNow(Set.of("c"));

    begun.get(1).answer().complete("second");
    awaitBegun(3);
    begun.get(2).answer().complete("third");

    assertThat(second.get(20, SECONDS)).isEqualTo("second");
    assertThat(third.get(20, SECONDS)).isEqualTo("third");
    assertThat(first).isNotDone();
    assertThat(begun)
        .extracting(Begun::topics)
        .containsExactly(Set.of("a"), Set.of("b"), Set.of("c"));
  }

  @Test
  void nextReading_beginsNoSoonerThanItMay() {
    Duration never = Duration.ofDays(1);
    SharedReading<String, String> spaced =
        new SharedReading<>(
            topics -> {
              begun.add(new Begun(topics, new CompletableFuture<>()));
              return CompletableFuture.completedFuture("");
            },
            never,
            2);
    CompletableFuture<String> first = spaced.fromNow(Set.of("a"));
    await().atMost(SOON).until(first::isDone);

    assertThat(spaced.fromNow(Set.of("b"))).isNotDone();
    assertThat(begun).hasSize(1);
  }
}
