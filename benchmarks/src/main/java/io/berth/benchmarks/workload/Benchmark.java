package io.berth.benchmarks.workload;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Runs the workloads: each is run until the JVM has warmed to it, then measured. */
public final class Benchmark {
  private static final int WARM_UPS = 2;
  private static final int RUNS = 3;

  private final List<Measurement> measurements = new ArrayList<>();
  private final Consumer<Measurement> reporter;

  /** A benchmark that hands on each measurement as it is made. */
  public Benchmark(Consumer<Measurement> reporter) {
    this.reporter = reporter;
  }

  /**
   * Runs every workload whose name contains the text.
   *
   * @return all measurements
   */
  public List<Measurement> run(String nameContains) {
    List<Workload> ordinary = Workloads.ordinary();
    for (Workload workload : ordinary) {
      measure(workload.name(), nameContains, () -> workload.run());
    }
    preemptions(5_000, nameContains);
    measure("GpuPlacement", nameContains, () -> GpuWorkload.usual().run());
    measure("Groups", nameContains, GroupWorkload::placed);
    if ("GroupsThatWait-none".contains(nameContains)) {
      inTurn(
          () -> GroupWorkload.streamBeside(500, "GroupsThatWait"),
          () -> GroupWorkload.streamBeside(0, "GroupsThatWait-none"));
    }
    if ("MixedShapes".contains(nameContains)) {
      report(new MixedShapes().run(20_000));
    }
    for (Workload workload : ordinary) {
      Workload large = workload.times(10);
      measure(large.name(), nameContains, () -> large.run());
    }
    preemptions(50_000, nameContains);
    measure("Arrivals-50000", nameContains, () -> Arrivals.run(50_000, 10_000, 10));
    if ("Memory".contains(nameContains)) {
      report(MemoryWorkload.run());
    }
    return List.copyOf(measurements);
  }

  private void preemptions(int nodes, String nameContains) {
    for (PreemptionWorkload.Preemptors preemptors : PreemptionWorkload.Preemptors.values()) {
      PreemptionWorkload workload = new PreemptionWorkload(nodes, preemptors);
      measure(workload.name(), nameContains, workload::run);
    }
  }

  /** Live heap, in bytes, after each round of pods that have come and gone. */
  public long[] soak(int rounds, int podsPerRound) {
    return new MixedShapes().soak(rounds, podsPerRound);
  }

  private void measure(String name, String nameContains, Supplier<Measurement> workload) {
    if (!name.contains(nameContains)) {
      return;
    }
    boolean large = name.endsWith("0000");
    int warmUps = large ? 1 : WARM_UPS;
    List<Measurement> runs = new ArrayList<>();
    for (int i = 0; i < warmUps + (large ? 1 : RUNS); i++) {
      Measurement run = workload.get();
      if (i >= warmUps) {
        runs.add(run);
      }
    }
    report(median(runs));
  }

  /**
   * Measures workloads that are compared, in turn: the JVM is as warm to the one as to the other.
   */
  private void inTurn(Supplier<Measurement> one, Supplier<Measurement> other) {
    List<Measurement> runsOfOne = new ArrayList<>();
    List<Measurement> runsOfOther = new ArrayList<>();
    for (int i = 0; i < 2 * WARM_UPS + RUNS; i++) {
      Measurement first = one.get();
      Measurement second = other.get();
      if (i >= 2 * WARM_UPS) {
        runsOfOne.add(first);
        runsOfOther.add(second);
      }
    }
    report(median(runsOfOne));
    report(median(runsOfOther));
  }

  private static Measurement median(List<Measurement> runs) {
    runs.sort(Comparator.comparingDouble(Measurement::podsPerSecond));
    return runs.get(runs.size() / 2);
  }

  private void report(Measurement measurement) {
    measurements.add(measurement);
    reporter.accept(measurement);
  }
}
