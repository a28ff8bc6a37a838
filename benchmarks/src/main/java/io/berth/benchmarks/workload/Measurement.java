package io.berth.benchmarks.workload;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The figures of one run.
 *
 * @param p50Micros the median time of one pod
 * @param p99Micros what 99 of 100 pods did not exceed
 * @param allocatedBytesPerPod by the engine's thread
 * @param heapBytes live after the run, everything of the benchmark included
 */
public record Measurement(
    String workload,
    double podsPerSecond,
    double p50Micros,
    double p99Micros,
    long allocatedBytesPerPod,
    long heapBytes) {

  /** Of the times, in nanoseconds, of each pod. */
  static Measurement of(String workload, long[] nanos, long allocatedBytes, long heapBytes) {
    long total = Math.max(1, Arrays.stream(nanos).sum());
    return of(
        workload, nanos.length * 1e9 / total, nanos, allocatedBytes / nanos.length, heapBytes);
  }

  /**
   * Of the times, in nanoseconds, of each pod.
   *
   * @param busyNanos the processor time of the engine's thread for all pods, which gives the rate:
   *     what else runs on the machine does not count
   */
  static Measurement of(
      String workload, long busyNanos, long[] nanos, long allocatedBytes, long heapBytes) {
    double podsPerSecond = nanos.length * 1e9 / Math.max(1, busyNanos);
    return of(workload, podsPerSecond, nanos, allocatedBytes / nanos.length, heapBytes);
  }

  /** Of a rate that was measured by itself, and the times, in nanoseconds, of each pod. */
  static Measurement of(
      String workload,
      double podsPerSecond,
      long[] nanos,
      long allocatedBytesPerPod,
      long heapBytes) {
    long[] sorted = nanos.clone();
    Arrays.sort(sorted);
    return new Measurement(
        workload,
        podsPerSecond,
        sorted[sorted.length / 2] / 1e3,
        sorted[Math.min(sorted.length - 1, sorted.length * 99 / 100)] / 1e3,
        allocatedBytesPerPod,
        heapBytes);
  }

  /** The figures by name, for JSON. */
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("podsPerSecond", rounded(podsPerSecond));
    fields.put("p50Micros", rounded(p50Micros));
    fields.put("p99Micros", rounded(p99Micros));
    fields.put("allocatedBytesPerPod", allocatedBytesPerPod);
    fields.put("heapBytes", heapBytes);
    return fields;
  }

  private static double rounded(double value) {
    return Math.round(value * 10) / 10.0;
  }
}
