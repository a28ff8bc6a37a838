package io.berth.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * The costs of each workload of {@code make bench} that do not depend on the machine: the steps of
 * the engine and the garbage per pod. The steps of a run are always the same. Garbage depends on
 * what the JVM has compiled; here, most of the code runs for the first time.
 *
 * <p>Workloads with 50,000 nodes or more, which take minutes, are left out: the engine's tests
 * compare steps at several sizes.
 */
class WorkloadCostTest {
  private static final int MIXED_PODS = 3_000;
  private static final int SHARED_PODS = 15_000;

  /** The costs per pod that may not be exceeded. */
  private record Limits(double steps, long garbageBytes) {}

  @Test
  void noWorkloadCostsMoreStepsOrGarbageThanItsLimits() throws IOException {
    Map<String, Limits> limits = limits();
    List<String> exceeded = new ArrayList<>();
    List<String> measured = new ArrayList<>();
    for (Benchmark.Group group : new Benchmark(42, MIXED_PODS, SHARED_PODS).groups()) {
      for (Benchmark.Timed workload : group.workloads()) {
        if (!isLarge(workload.name())) {
          Measurement run = workload.run().get();
          measured.add(workload.name());
          Limits most = limits.get(workload.name());
          if (most == null
              || run.stepsPerPod() > most.steps()
              || run.garbageBytesPerPod() > most.garbageBytes()) {
            exceeded.add(
                "%s %.1f %d"
                    .formatted(run.workload(), run.stepsPerPod(), run.garbageBytesPerPod()));
          }
        }
      }
    }

    assertThat(exceeded)
        .as("workload, steps and bytes of garbage per pod: above the limits of costs.txt")
        .isEmpty();
    assertThat(measured).containsExactlyElementsOf(limits.keySet());
  }

  private static boolean isLarge(String name) {
    return name.endsWith("0000");
  }

  private static Map<String, Limits> limits() throws IOException {
    Map<String, Limits> limits = new LinkedHashMap<>();
    try (InputStream file =
        Objects.requireNonNull(WorkloadCostTest.class.getResourceAsStream("costs.txt"))) {
      String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
      for (String line : text.lines().filter(line -> !line.startsWith("#")).toList()) {
        String[] parts = line.split(" ");
        limits.put(parts[0], new Limits(Double.parseDouble(parts[1]), Long.parseLong(parts[2])));
      }
    }
    return limits;
  }
}
