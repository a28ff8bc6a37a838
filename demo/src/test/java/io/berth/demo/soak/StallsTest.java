package io.berth.demo.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The windows of time in which the machine stalled. */
class StallsTest {
  private final Stalls stalls = new Stalls();

  private long lastSeconds(int seconds) {
    long now = System.nanoTime();
    return stalls.nanosBetween(now - TimeUnit.SECONDS.toNanos(seconds), now);
  }

  @Test
  void whatTakesLittleTime_isNoStall() {
    stalls.took(Duration.ofMillis(300));

    assertThat(lastSeconds(10)).isEqualTo(TimeUnit.SECONDS.toNanos(10));
  }

  @Test
  void aStall_doesNotCountAsTime() {
    stalls.took(Duration.ofSeconds(4));

    assertThat(Duration.ofNanos(lastSeconds(10)))
        .isBetween(Duration.ofSeconds(5), Duration.ofSeconds(6));
  }

  @Test
  void theSameStall_countsOnce() {
    stalls.took(Duration.ofSeconds(4));
    stalls.took(Duration.ofSeconds(3));

    assertThat(Duration.ofNanos(lastSeconds(10)))
        .isBetween(Duration.ofSeconds(5), Duration.ofSeconds(6));
  }
}
