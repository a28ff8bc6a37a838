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
  void failures_roundAfterRound_neverPassTheLeast() {
    for (int i = 0; i < 50; i++) {
      limit.failed();
      answers(64, Duration.ofMillis(10), false);
    }

    assertThat(limit.current()).isEqualTo(4);
  }

  @Test
  void answers_muchSlowerThanTheBest_lowerIt() {
    answers(32, Duration.ofMillis(5), false);
    answers(32, Duration.ofMillis(900), true);

    assertThat(limit.current()).isLessThan(32);
  }
}
