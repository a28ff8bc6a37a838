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
 * @param stepsPerPod the engine's steps per pod, mainly evaluations of nodes by filters and scorers
 * @param heapBytes the live heap after the run, including the benchmark's own objects
 */
public record Measurement(
    String workload,
    double podsPerSecond,
    double p50Micros,
    double p99Micros,
    double p999Micros,
    long garbageBytesPerPod,
    double stepsPerPod,
    long heapBytes) {

  /**
   * Creates a measurement from a separately measured rate and the times of all pods, in
   * nanoseconds.
   */
  static Measurement of(
      String workload,
      double podsPerSecond,
      long[] nanos,
      long garbageBytesPerPod,
      double stepsPerPod,
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
        stepsPerPod,
        heapBytes);
  }

  /** Returns the same figures with the live heap above the one before the run. */
  Measurement above(long heapBefore) {
    return new Measurement(
        workload,
        podsPerSecond,
        p50Micros,
        p99Micros,
        p999Micros,
        garbageBytesPerPod,
        stepsPerPod,
        heapBytes - heapBefore);
  }

  /** Returns the figures by name, for JSON. */
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("podsPerSecond", rounded(podsPerSecond));
    fields.put("p50Micros", rounded(p50Micros));
    fields.put("p99Micros", rounded(p99Micros));
    fields.put("p999Micros", rounded(p999Micros));
    fields.put("garbageBytesPerPod", garbageBytesPerPod);
    fields.put("stepsPerPod", rounded(stepsPerPod));
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
