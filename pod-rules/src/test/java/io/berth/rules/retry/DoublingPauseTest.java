package io.berth.rules.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DoublingPauseTest {

  private final DoublingPause pause =
      new DoublingPause(Duration.ofMillis(300), Duration.ofSeconds(2));

  @Test
  void pauses_double_upToTheLongest() {
    assertThat(IntStream.rangeClosed(1, 5).mapToObj(pause::before))
        .extracting(Duration::toMillis)
        .containsExactly(300L, 600L, 1200L, 2000L, 2000L);
  }

  @Test
  void longestPause_thatDoublingReaches_isExact() {
    DoublingPause exact = new DoublingPause(Duration.ofNanos(3), Duration.ofNanos(12));

    assertThat(exact.before(3)).isEqualTo(Duration.ofNanos(12));
    assertThat(exact.before(4)).isEqualTo(Duration.ofNanos(12));
  }

  @Test
  void anyNumberOfRepetitions_doesNotOverflow() {
    DoublingPause ages =
        new DoublingPause(Duration.ofDays(1), Duration.ofSeconds(Long.MAX_VALUE, 999_999_999));

    assertThat(pause.before(Integer.MAX_VALUE)).isEqualTo(Duration.ofSeconds(2));
    assertThat(ages.before(Integer.MAX_VALUE)).isEqualTo(ages.longest());
  }

  @Test
  void noRepetition_hasTheFirstPause() {
    assertThat(pause.before(0)).isEqualTo(Duration.ofMillis(300));
    assertThat(pause.before(Integer.MIN_VALUE)).isEqualTo(Duration.ofMillis(300));
  }

  @Test
  void firstPauseOfZero_staysZero() {
    assertThat(new DoublingPause(Duration.ZERO, Duration.ofSeconds(1)).before(100)).isZero();
  }

  @Test
  void firstPauseAboveTheLongest_isCutToIt() {
    assertThat(new DoublingPause(Duration.ofHours(1), Duration.ofMinutes(10)).before(1))
        .isEqualTo(Duration.ofMinutes(10));
  }

  @Test
  void negativePauses_areRejected() {
    assertThatThrownBy(() -> new DoublingPause(Duration.ofMillis(-1), Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new DoublingPause(Duration.ZERO, Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
