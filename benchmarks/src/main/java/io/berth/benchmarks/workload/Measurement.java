package io.berth.benchmarks.workload;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The figures of one run.
 *
 * @param p50Micros the median time of one pod, in microseconds
 * @param p99Micros the 99th percentile of the time of one pod, in microseconds
 * @param p999Micros the 99.9th percentile of the time of one pod, in microseconds
 * @param garbageBytesPerPod the bytes that the engine's thread allocated per pod, which are garbage
 *     when the pod has left
 * @param heapBytes the live heap after the run, including the benchmark's own objects
 */
public record Measurement(
    String workload,
    double podsPerSecond,
    double p50Micros,
    double p99Micros,
    double p999Micros,
    long garbageBytesPerPod,
    long heapBytes) {

  /** Creates a measurement from the times of all pods, in nanoseconds. */
  static Measurement of(String workload, long[] nanos, long allocatedBytes, long heapBytes) {
    long total = Math.max(1, Arrays.stream(nanos).sum());
    return of(
        workload, nanos.length * 1e9 / total, nanos, allocatedBytes / nanos.length, heapBytes);
  }

  /**
   * Creates a measurement from the times of all pods, in nanoseconds.
   *
   * @param busyNanos the CPU time of the engine's thread for all pods, from which the rate is
   *     computed, so that other processes do not affect it
   */
  static Measurement of(
      String workload, long busyNanos, long[] nanos, long allocatedBytes, long heapBytes) {
    double podsPerSecond = nanos.length * 1e9 / Math.max(1, busyNanos);
    return of(workload, podsPerSecond, nanos, allocatedBytes / nanos.length, heapBytes);
  }

  /**
   * Creates a measurement from a separately measured rate and the times of all pods, in
   * nanoseconds.
   */
  static Measurement of(
      String workload,
      double podsPerSecond,
      long[] nanos,
      long garbageBytesPerPod,
      long heapBytes) {
    long[] sorted = nanos.clone();
    Arrays.sort(sorted);
    return new Measurement(
        workload,
        podsPerSecond,
        sorted[sorted.length / 2] / 1e3,
        percentile(sorted, 990) / 1e3,
        percentile(sorted, 999) / 1e3,
        garbageBytesPerPod,
        heapBytes);
  }

  /** Returns the figures by name, for JSON. */
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("podsPerSecond", rounded(podsPerSecond));
    fields.put("p50Micros", rounded(p50Micros));
    fields.put("p99Micros", rounded(p99Micros));
    fields.put("p999Micros", rounded(p999Micros));
    fields.put("garbageBytesPerPod", garbageBytesPerPod);
    fields.put("heapBytes", heapBytes);
    return fields;
  }

  private static long percentile(long[] sorted, int permille) {
    return sorted[(int) Math.min(sorted.length - 1, (long) sorted.length * permille / 1_000)];
  }

  private static double rounded(double value) {
    return Math.round(value * 10) / 10.0;
  }
}
