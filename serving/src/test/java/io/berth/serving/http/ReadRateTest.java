package io.berth.serving.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ReadRateTest {
  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5); // it may overflow
  private final ReadRate rate = new ReadRate(1000, clock::get);

  private void pass(Duration time) {
    clock.addAndGet(time.toNanos());
  }

  @Test
  void aReader_pausesAsLongAsItsBytesTakeAtTheLimit() {
    assertThat(rate.take(500)).isEqualTo(Duration.ofMillis(500));
  }

  @Test
  void severalReaders_shareTheLimit() {
    rate.take(1000);
    rate.take(1000);

    assertThat(rate.take(1000)).isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void timeThatHasPassed_isNotWaitedForAgain() {
    rate.take(1000);
    pass(Duration.ofMillis(400));

    assertThat(rate.take(100)).isEqualTo(Duration.ofMillis(700));
  }

  @Test
  void aTimeWithoutReaders_isNotSavedUp() {
    pass(Duration.ofHours(1));

    assertThat(rate.take(2000)).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void aRateOfNothing_isRefused() {
    assertThatThrownBy(() -> new ReadRate(0, clock::get))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least 1 byte/s");
  }
}
