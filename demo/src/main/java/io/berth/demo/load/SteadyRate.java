package io.berth.demo.load;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The delays of pods at a steady rate of creation.
 *
 * @param podsPerSecond the rate at which pods were created, as intended
 * @param created the rate at which they were created in fact
 * @param waited how long each pod waited from its creation to its Binding, in nanoseconds,
 *     ascending
 * @param pods the number of pods that were created
 * @param cpu the CPU time of the scheduler until the last Scheduled event; empty if unknown
 */
record SteadyRate(
    int podsPerSecond, double created, List<Long> waited, int pods, Optional<Duration> cpu) {
  private static final double NANOS_PER_MILLI = 1e6;

  /**
   * Returns a percentile by nearest rank.
   *
   * @param share greater than 0, at most 1
   * @return milliseconds; NaN if no pod was measured
   */
  double millis(double share) {
    if (waited.isEmpty()) {
      return Double.NaN;
    }
    int rank = (int) Math.ceil(share * waited.size());
    return waited.get(Math.max(0, rank - 1)) / NANOS_PER_MILLI;
  }

  /** Returns the CPU time of the scheduler per 1,000 pods, in seconds; empty if unknown. */
  Optional<Double> cpuSecondsPer1000() {
    return cpu.map(time -> BindingWatch.seconds(time) * 1_000 / pods);
  }
}
