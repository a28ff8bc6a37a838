package io.berth.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingQueueSpec;
import io.berth.crds.SchedulingQueueStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The past share of a queue, from one status to the next. */
class PastShareTest {
  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

  private static SchedulingQueueSpec halfLife(@Nullable String halfLife) {
    return new SchedulingQueueSpec(null, Map.of(), Map.of(), 1, 0, null, halfLife, null, null);
  }

  private static SchedulingQueueStatus status(@Nullable String share, @Nullable String at) {
    return new SchedulingQueueStatus(
        1L, 0, Map.of(), Map.of(), Map.of(), Map.of(), "0.0%", share, at, true, 0, 0, Map.of(),
        null, List.of());
  }

  private static SchedulingQueueStatus status(PastShare past) {
    return status(past.percent(), past.at().toString());
  }

  private static PastShare next(
      String halfLife, @Nullable SchedulingQueueStatus before, double share, Instant now) {
    return PastShare.next(halfLife(halfLife), before, Optional.of(share), now).orElseThrow();
  }

  @Test
  void queueWithoutHalfLife_hasNoPast() {
    assertThat(PastShare.next(halfLife(null), null, Optional.of(0.5), BEGIN)).isEmpty();
    assertThat(PastShare.next(null, null, Optional.of(0.5), BEGIN)).isEmpty();
    assertThat(PastShare.next(halfLife("soon"), null, Optional.of(0.5), BEGIN)).isEmpty();
  }

  @Test
  void pastBegins_whenItIsFirstSeen() {
    assertThat(next("1h", null, 0.5, BEGIN)).isEqualTo(new PastShare("0.0000%", BEGIN));
  }

  @Test
  void steadyShare_countsByHalf_afterAHalfLife() {
    PastShare past = next("1h", null, 0.4, BEGIN);
    for (int minute = 1; minute <= 60; minute++) {
      past = next("1h", status(past), 0.4, BEGIN.plus(Duration.ofMinutes(minute)));
    }

    assertThat(Double.parseDouble(past.percent().replace("%", ""))).isBetween(19.99, 20.01);
  }

  @Test
  void pastShare_halves_whileTheQueueBorrowsNothing() {
    PastShare past = new PastShare("20.0000%", BEGIN);
    for (int minute = 1; minute <= 120; minute++) {
      past = next("1h", status(past), 0, BEGIN.plus(Duration.ofMinutes(minute)));
    }

    assertThat(Double.parseDouble(past.percent().replace("%", ""))).isBetween(4.99, 5.01);
  }

  /** So that the status is not written whenever it is looked at. */
  @Test
  void pastShare_stays_untilASixtiethOfTheHalfLifeHasPassed() {
    PastShare past = new PastShare("20.0000%", BEGIN);

    assertThat(next("1h", status(past), 0.9, BEGIN.plusSeconds(59))).isEqualTo(past);
    assertThat(next("2h", status(past), 0.9, BEGIN.plusSeconds(119))).isEqualTo(past);
    assertThat(next("2h", status(past), 0.9, BEGIN.plusSeconds(120))).isNotEqualTo(past);
    assertThat(next("1000h", status(past), 0.9, BEGIN.plus(PastShare.LONGEST_STEP)))
        .isNotEqualTo(past);
  }

  /** Nobody knows what it borrowed while there was no leader. */
  @Test
  void presentShare_countsForTwoStepsAtMost_afterATimeWithoutALeader() {
    PastShare past =
        next("1h", status("80.0000%", BEGIN.toString()), 0.5, BEGIN.plus(Duration.ofHours(2)));

    assertThat(Double.parseDouble(past.percent().replace("%", ""))).isBetween(21.0, 21.3);
  }

  @Test
  void infiniteShare_countsAsTheWholeCapacity() {
    PastShare past =
        next(
            "10m",
            status("0.0000%", BEGIN.toString()),
            Double.POSITIVE_INFINITY,
            BEGIN.plus(Duration.ofMinutes(1)));

    assertThat(Double.parseDouble(past.percent().replace("%", ""))).isBetween(6.6, 6.8);
  }

  @Test
  void unknownShare_leavesThePastAsItIs() {
    SchedulingQueueStatus before = status("20.0000%", BEGIN.toString());

    assertThat(
            PastShare.next(
                halfLife("1h"), before, Optional.empty(), BEGIN.plus(Duration.ofDays(1))))
        .contains(new PastShare("20.0000%", BEGIN));
  }

  @Test
  void statusThatCannotBeRead_countsAsNone() {
    for (SchedulingQueueStatus wrong :
        List.of(
            status("much", BEGIN.toString()),
            status("20.0000%", "yesterday"),
            status("20.0000%", null))) {
      assertThat(next("1h", wrong, 0.5, BEGIN)).isEqualTo(new PastShare("0.0000%", BEGIN));
    }
  }
}
