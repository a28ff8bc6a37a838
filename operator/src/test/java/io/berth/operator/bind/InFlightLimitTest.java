package io.berth.operator.bind;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class InFlightLimitTest {

  private final InFlightLimit limit = new InFlightLimit(32, 4, 64);

  private void answers(int count, Duration took, boolean full) {
    for (int i = 0; i < count; i++) {
      limit.succeeded(took.toNanos(), full);
    }
  }

  @Test
  void goodAnswers_whileTheLimitIsReached_raiseIt() {
    answers(200, Duration.ofMillis(10), true);

    assertThat(limit.current()).isGreaterThan(32);
  }

  @Test
  void goodAnswers_whileTheLimitIsNotReached_leaveIt() {
    answers(200, Duration.ofMillis(10), false);

    assertThat(limit.current()).isEqualTo(32);
  }

  @Test
  void manyGoodAnswers_neverPassTheMost() {
    answers(10_000, Duration.ofMillis(10), true);

    assertThat(limit.current()).isEqualTo(64);
  }

  @Test
  void failures_ofOneRound_lowerItOnce() {
    limit.failed();
    limit.failed();
    limit.failed();

    assertThat(limit.current()).isEqualTo(22);
  }

  @Test
  void refusalsAlone_lowerItOnceInEachRound() {
    for (int i = 0; i < 33; i++) {
      limit.failed();
    }
    assertThat(limit.current()).as("after all that were in flight at first").isEqualTo(22);

    limit.failed();
    assertThat(limit.current()).as("with the next round's first").isEqualTo(15);

    for (int i = 0; i < 200; i++) {
      limit.failed();
    }
    assertThat(limit.current()).isEqualTo(4);
  }

  @Test
  void failures_roundAfterRound_neverPassTheLeast() {
    for (int i = 0; i < 50; i++) {
      limit.failed();
      answers(64, Duration.ofMillis(10), false);
    }

    assertThat(limit.current()).isEqualTo(4);
  }

  @Test
  void answers_muchSlowerThanTheBest_areLeftToWaitInSmallNumber() {
    InFlightLimit high = new InFlightLimit(64, 4, 256);
    high.succeeded(Duration.ofMillis(5).toNanos(), true);
    for (int i = 0; i < 5000; i++) {
      high.succeeded(Duration.ofMillis(100).toNanos(), true);
    }

    assertThat(high.current()).isBetween(16, 40);
  }

  @Test
  void answers_thatTakeNoLongerWithMoreInFlight_raiseItToTheMost() {
    InFlightLimit low = new InFlightLimit(32, 4, 256);
    for (int i = 0; i < 20_000; i++) {
      low.succeeded(Duration.ofMillis(40).toNanos(), true);
    }

    assertThat(low.current()).isEqualTo(256);
  }
}
