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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The costs of each workload of {@code make bench} that do not depend on the machine: the steps of
 * the engine and the garbage per pod. The steps of a run are always the same. Garbage depends on
 * what the JVM has compiled; here, most of the code runs for the first time.
 *
 * <p>SharedPool and Arrivals on 50,000 nodes or more would take minutes. Of Arrivals, there is a
 * small one instead.
 */
class WorkloadCostTest {
  private static final int MIXED_PODS = 3_000;
  private static final int SHARED_PODS = 6_000;
  private static final long SEED = 42;

  /**
   * The CPU time of each call of the engine in Arrivals: a fixed one, so that steps do not vary.
   */
  private static final long NANOS_PER_CALL = 10_000;

  /** The costs per pod that may not be exceeded. */
  private record Limits(double steps, long garbageBytes) {}

  @Test
  @Timeout(value = 15, unit = TimeUnit.MINUTES) // a minute and a half if nothing else runs
  void noWorkloadCostsMoreStepsOrGarbageThanItsLimits() throws IOException {
    Map<String, Limits> limits = limits();
    List<String> exceeded = new ArrayList<>();
    List<String> measured = new ArrayList<>();
    for (Benchmark.Timed workload : workloads()) {
      Measurement run = workload.run().get();
      measured.add(workload.name());
      Limits most = limits.get(workload.name());
      if (most == null
          || run.stepsPerPod() > most.steps()
          || run.garbageBytesPerPod() > most.garbageBytes()) {
        exceeded.add(
            "%s %.1f %d".formatted(run.workload(), run.stepsPerPod(), run.garbageBytesPerPod()));
      }
    }

    assertThat(exceeded)
        .as("workload, steps and bytes of garbage per pod: above the limits of costs.txt")
        .isEmpty();
    assertThat(measured).containsExactlyElementsOf(limits.keySet());
  }

  private static List<Benchmark.Timed> workloads() {
    List<Benchmark.Timed> workloads = new ArrayList<>();
    for (Benchmark.Group group : new Benchmark(SEED, MIXED_PODS, SHARED_PODS).groups()) {
      group.workloads().stream()
          .filter(workload -> !takesMinutes(workload.name()))
          .forEach(workloads::add);
    }
    workloads.add(new Benchmark.Timed("Arrivals-2000", WorkloadCostTest::smallArrivals));
    return workloads;
  }

  private static boolean takesMinutes(String name) {
    return name.endsWith("0000") && (name.startsWith("SharedPool") || name.startsWith("Arrivals"));
  }

  private static Measurement smallArrivals() {
    AtomicLong spent = new AtomicLong();
    return Arrivals.run(2_000, 10_000, 2, SEED, () -> spent.getAndAdd(NANOS_PER_CALL));
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
