package io.berth.benchmarks.workload;

import java.util.function.LongSupplier;

/**
 * Measures a part of a workload on the current thread: its CPU time, its garbage, and the steps of
 * the engine.
 */
final class Meter {
  private final LongSupplier steps;
  private final long allocatedBefore = Allocations.ofThisThread();
  private final long busyBefore = ProcessorTime.ofThisThread();
  private final long stepsBefore;

  private Meter(LongSupplier steps) {
    this.steps = steps;
    this.stepsBefore = steps.getAsLong();
  }

  static Meter start(Cluster cluster) {
    return start(cluster.engine()::steps);
  }

  /**
   * Starts to measure.
   *
   * @param steps returns the number of steps of the engine so far
   */
  static Meter start(LongSupplier steps) {
    return new Meter(steps);
  }

  /** Returns the CPU time of the part so far, in nanoseconds. */
  long busyNanos() {
    return Math.max(1, ProcessorTime.ofThisThread() - busyBefore);
  }

  /**
   * Ends the part, with a rate by the CPU time of all of it, so that other processes do not affect
   * the rate.
   *
   * @param nanos the times of all pods, in nanoseconds
   * @param held the objects whose memory counts
   */
  Measurement stop(String workload, long[] nanos, Object held) {
    return stop(workload, busyNanos(), nanos, held);
  }

  /**
   * Ends the part, with a rate by the CPU time of some of it.
   *
   * @param busyNanos the CPU time for all pods, in nanoseconds
   */
  Measurement stop(String workload, long busyNanos, long[] nanos, Object held) {
    return stop(workload, nanos.length * 1e9 / Math.max(1, busyNanos), nanos.length, nanos, held);
  }

  /**
   * Ends the part, with a rate that was measured separately.
   *
   * @param pods the number of pods
   * @param nanos the times to report, in nanoseconds
   */
  Measurement stop(String workload, double podsPerSecond, long pods, long[] nanos, Object held) {
    long allocated = Allocations.ofThisThread() - allocatedBefore;
    double stepsPerPod = (double) (steps.getAsLong() - stepsBefore) / pods;
    return Measurement.of(
        workload,
        podsPerSecond,
        nanos,
        allocated / pods,
        stepsPerPod,
        Allocations.liveHeapWith(held));
  }
}
