package io.berth.operator.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BackoffTest {

  private final Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));
  private final Random random = new Random(1);

  @Test
  void pauses_grow_upToTheLongest() {
    assertThat(backoff.pause(1, Duration.ZERO, random))
        .isBetween(Duration.ofMillis(50), Duration.ofMillis(100));
    assertThat(backoff.pause(4, Duration.ZERO, random))
        .isBetween(Duration.ofMillis(400), Duration.ofMillis(800));
    assertThat(backoff.pause(60, Duration.ZERO, random))
        .isBetween(Duration.ofMillis(2500), Duration.ofSeconds(5));
  }

  @Test
  void pauses_differ_soThatCallersDoNotComeBackTogether() {
    assertThat(
            Stream.generate(() -> backoff.pause(3, Duration.ZERO, random))
                .limit(20)
                .distinct()
                .count())
        .isGreaterThan(15);
  }

  @Test
  void serverThatAsksForMore_isGivenIt() {
    assertThat(backoff.pause(1, Duration.ofSeconds(20), random))
        .isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
  }

  @Test
  void serverThatAsksForHours_isNotBelieved() {
    assertThat(backoff.pause(1, Duration.ofHours(6), random))
        .isLessThanOrEqualTo(Duration.ofSeconds(90));
  }
}
