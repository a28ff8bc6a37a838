package io.berth.benchmarks.workload;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Runs the workloads. Each is measured several times, after warm-up runs; its figures are those of
 * the run with the median rate. Workloads that are compared, such as those that differ only in the
 * number of nodes, run alternately.
 */
public final class Benchmark {
  private static final int WARM_UPS = 3;
  private static final int RUNS = 5;

  /** Runs of workloads that take seconds each. */
  private static final int FEW_RUNS = 3;

  private static final int NODES = 5_000;

  private static final int SHARED_PODS = 200_000;

  /** The factor between the cluster sizes that are compared. */
  private static final int LARGE = 10;

  private final List<Measurement> measurements = new ArrayList<>();
  private final long seed;
  private final Consumer<Measurement> reporter;

  /** A workload by name. */
  private record Timed(String name, Supplier<Measurement> run) {}

  /**
   * Creates a benchmark.
   *
   * @param seed the seed of everything that workloads draw
   * @param reporter receives each measurement when it is complete
   */
  public Benchmark(long seed, Consumer<Measurement> reporter) {
    this.seed = seed;
    this.reporter = reporter;
  }

  /** Returns whether the name contains one of the comma-separated texts. */
  public static boolean isWanted(String name, String wanted) {
    return Arrays.stream(wanted.split(",")).anyMatch(name::contains);
  }

  /**
   * Runs the selected workloads.
   *
   * @param wanted comma-separated texts, of which a workload's name must contain one; empty for all
   * @return the measurements
   */
  public List<Measurement> run(String wanted) {
    for (Workload workload : Workloads.ordinary()) {
      Workload large = workload.times(LARGE);
      inTurn(
          wanted,
          WARM_UPS,
          RUNS,
          new Timed(workload.name(), workload::run),
          new Timed(large.name(), large::run));
    }
    for (PreemptionWorkload.Preemptors preemptors : PreemptionWorkload.Preemptors.values()) {
      PreemptionWorkload usual = new PreemptionWorkload(NODES, preemptors);
      PreemptionWorkload large = new PreemptionWorkload(NODES * LARGE, preemptors);
      inTurn(
          wanted,
          WARM_UPS,
          RUNS,
          new Timed(usual.name(), usual::run),
          new Timed(large.name(), large::run));
    }
    inTurn(
        wanted,
        WARM_UPS,
        RUNS,
        new Timed("GroupsThatWait", () -> GroupWorkload.streamBeside(500, "GroupsThatWait")),
        new Timed(
            "GroupsThatWait-none", () -> GroupWorkload.streamBeside(0, "GroupsThatWait-none")));
    inTurn(
        wanted,
        1,
        FEW_RUNS,
        new Timed(
            "HopelessPreemptors",
            () -> StreamBeside.hopelessPreemptors(200, "HopelessPreemptors", seed)),
        new Timed(
            "HopelessPreemptors-none",
            () -> StreamBeside.hopelessPreemptors(0, "HopelessPreemptors-none", seed)));
    inTurn(
        wanted,
        1,
        FEW_RUNS,
        new Timed("ManyWaiting", () -> StreamBeside.manyWaiting(20_000, "ManyWaiting", seed)),
        new Timed("ManyWaiting-none", () -> StreamBeside.manyWaiting(0, "ManyWaiting-none", seed)));
    inTurn(
        wanted,
        1,
        FEW_RUNS,
        new Timed("Queues", () -> QueuesWorkload.run("Queues", seed, true)),
        new Timed("Queues-none", () -> QueuesWorkload.run("Queues-none", seed, false)));
    alone(wanted, "GpuPlacement", () -> GpuWorkload.usual(seed).run());
    for (ClaimsWorkload.Kind kind : ClaimsWorkload.Kind.values()) {
      inTurn(wanted, 1, FEW_RUNS, new Timed(kind.title(), () -> ClaimsWorkload.run(kind, seed)));
    }
    for (WhatIfWorkload.Kind kind : WhatIfWorkload.Kind.values()) {
      inTurn(wanted, 1, FEW_RUNS, new Timed(kind.title(), () -> WhatIfWorkload.run(kind, seed)));
    }
    alone(wanted, "Groups", GroupWorkload::placed);
    alone(wanted, "DaemonSet", OwnNodeWorkload::daemonSet);
    alone(wanted, "WaitForFirstConsumer", OwnNodeWorkload::firstConsumer);
    inTurn(wanted, 0, 1, new Timed("MixedShapes", () -> new MixedShapes(seed).run(20_000)));
    sharedPool(wanted, "SharedPool", NODES);
    sharedPool(wanted, "SharedPool-50000", NODES * LARGE);
    inTurn(
        wanted,
        1,
        FEW_RUNS,
        new Timed("Arrivals-50000", () -> Arrivals.run(50_000, 10_000, 10, seed)));
    inTurn(
        wanted,
        1,
        FEW_RUNS,
        new Timed("Arrivals-130000", () -> Arrivals.run(130_000, 1_000, 20, seed)));
    inTurn(wanted, 0, 1, new Timed("Memory", MemoryWorkload::run));
    return List.copyOf(measurements);
  }

  /**
   * Returns the size of the live heap, in bytes, after each round of arriving and terminating pods.
   */
  public long[] soak(int rounds, int podsPerRound) {
    return new MixedShapes(seed).soak(rounds, podsPerRound);
  }

  private void sharedPool(String wanted, String name, int nodes) {
    inTurn(wanted, 0, 1, new Timed(name, () -> new SharedPool(name, nodes, seed).run(SHARED_PODS)));
  }

  private void alone(String wanted, String name, Supplier<Measurement> workload) {
    inTurn(wanted, WARM_UPS, RUNS, new Timed(name, workload));
  }

  /**
   * Measures those of the workloads that are wanted, and reports the median of each. They run
   * alternately, so that a change in the speed of the machine, or in what the JVM has compiled,
   * affects all of them.
   */
  private void inTurn(String wanted, int warmUps, int runs, Timed... workloads) {
    List<Timed> selected =
        Arrays.stream(workloads).filter(workload -> isWanted(workload.name(), wanted)).toList();
    Map<Timed, List<Measurement>> measured = new LinkedHashMap<>();
    for (int i = 0; i < warmUps + runs; i++) {
      for (Timed workload : selected) {
        Measurement run = workload.run().get();
        if (i >= warmUps) {
          measured.computeIfAbsent(workload, key -> new ArrayList<>()).add(run);
        }
      }
    }
    measured.values().forEach(results -> report(median(results)));
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
