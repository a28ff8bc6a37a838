package io.berth.benchmarks.workload;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What one run took.
 *
 * @param p50Micros the median time of one pod
 * @param p99Micros what 99 of 100 pods did not exceed
 * @param allocatedBytesPerPod by the engine's thread
 * @param heapBytes live after the run, everything of the benchmark included; 0 where it was not
 *     asked for
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
    long[] sorted = nanos.clone();
    Arrays.sort(sorted);
    long total = Arrays.stream(nanos).sum();
    return new Measurement(
        workload,
        nanos.length * 1e9 / Math.max(1, total),
        sorted[sorted.length / 2] / 1e3,
        sorted[Math.min(sorted.length - 1, sorted.length * 99 / 100)] / 1e3,
        allocatedBytes / nanos.length,
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
