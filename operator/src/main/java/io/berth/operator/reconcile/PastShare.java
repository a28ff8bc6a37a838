package io.berth.operator.reconcile;

import io.berth.crds.SchedulingQueueSpec;
import io.berth.crds.SchedulingQueueStatus;
import io.berth.crds.queue.SharePercent;
import io.berth.crds.schema.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The mean of a queue's past shares, of which each counts half after every half-life. It is kept in
 * the status alone, so that every leader decides alike, and from there it reaches the engine.
 *
 * @param percent the mean up to then, see {@link SharePercent#exact}
 * @param at the time up to which shares count, in whole seconds
 */
record PastShare(String percent, Instant at) {
  /** The minimum and maximum time between two updates; in between, it is 1/60 of the half-life. */
  static final Duration SHORTEST_STEP = Duration.ofMinutes(1);

  static final Duration LONGEST_STEP = Duration.ofHours(1);

  private static final int STEPS_PER_HALF_LIFE = 60;

  /** The number in place of an infinite share: that of a queue which borrows what no node has. */
  private static final double LARGEST_SHARE = 1;

  /** The number of steps for which the present share counts, if no leader has updated it. */
  private static final int MOST_STEPS = 2;

  /**
   * Returns the value for a status; empty if the past of the queue does not count.
   *
   * @param share the present share; empty while it is unknown
   */
  static Optional<PastShare> next(
      @Nullable SchedulingQueueSpec spec,
      @Nullable SchedulingQueueStatus before,
      Optional<Double> share,
      Instant now) {
    Optional<Duration> halfLife =
        Optional.ofNullable(spec)
            .map(SchedulingQueueSpec::usageHalfLife)
            .flatMap(DurationText::read)
            .filter(Duration::isPositive);
    if (halfLife.isEmpty()) {
      return Optional.empty();
    }
    PastShare known =
        read(before)
            .orElse(new PastShare(SharePercent.exact(0), now.truncatedTo(ChronoUnit.SECONDS)));
    return Optional.of(
        share.map(present -> known.after(halfLife.get(), present, now)).orElse(known));
  }

  private static Optional<PastShare> read(@Nullable SchedulingQueueStatus status) {
    if (status == null
        || status.pastShareAt() == null
        || SharePercent.read(status.pastShare()).isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(new PastShare(status.pastShare(), Instant.parse(status.pastShareAt())));
    } catch (DateTimeParseException nobodyElseWritesIt) {
      return Optional.empty();
    }
  }

  /** Returns the value after the time since then, in which the queue had this share. */
  private PastShare after(Duration halfLife, double share, Instant now) {
    Duration step = step(halfLife);
    Duration passed = Duration.between(at, now);
    if (passed.compareTo(step) < 0) {
      return this;
    }
    Duration most = step.multipliedBy(MOST_STEPS);
    Duration counted = passed.compareTo(most) < 0 ? passed : most;
    double past = SharePercent.read(percent).orElse(0);
    double mean =
        past * kept(passed, halfLife)
            + Math.min(share, LARGEST_SHARE) * (1 - kept(counted, halfLife));
    return new PastShare(SharePercent.exact(mean), now.truncatedTo(ChronoUnit.SECONDS));
  }

  private static Duration step(Duration halfLife) {
    Duration step = halfLife.dividedBy(STEPS_PER_HALF_LIFE);
    if (step.compareTo(SHORTEST_STEP) < 0) {
      return SHORTEST_STEP;
    }
    return step.compareTo(LONGEST_STEP) < 0 ? step : LONGEST_STEP;
  }

  /** Returns the part of a share that still counts after a time. */
  private static double kept(Duration passed, Duration halfLife) {
    return Math.pow(2, -(double) passed.toMillis() / halfLife.toMillis());
  }
}
