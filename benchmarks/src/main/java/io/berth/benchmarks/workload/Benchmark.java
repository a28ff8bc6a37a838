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
 * Runs the workloads. Each is measured several times; its figures are those of the run with the
 * median rate. Workloads that are compared, such as those that differ only in the number of nodes,
 * run alternately. There are warm-up runs first, except of workloads that place tens of thousands
 * of pods before those that are measured.
 */
public final class Benchmark {
  private static final int WARM_UPS = 3;
  private static final int RUNS = 5;

  /** Runs of workloads that take seconds each. */
  private static final int FEW_RUNS = 3;

  private static final int NODES = 5_000;

  private static final int MIXED_PODS = 20_000;
  private static final int SHARED_PODS = 60_000;

  /** The factor between the cluster sizes that are compared. */
  private static final int LARGE = 10;

  private final long seed;
  private final int mixedPods;
  private final int sharedPods;

  /** A workload by name. */
  record Timed(String name, Supplier<Measurement> run) {}

  /**
   * Workloads that run alternately.
   *
   * @param warmUps the number of runs of each before those that count; 0 if a run itself places
   *     many pods before it measures
   * @param runs the number of runs of each that count
   */
  record Group(int warmUps, int runs, List<Timed> workloads) {
    private Group(int warmUps, int runs, Timed... workloads) {
      this(warmUps, runs, List.of(workloads));
    }
  }

  /**
   * Creates a benchmark.
   *
   * @param seed the seed of everything that workloads draw
   */
  public Benchmark(long seed) {
    this(seed, MIXED_PODS, SHARED_PODS);
  }

  /**
   * Creates a benchmark with other numbers of pods in the workloads that take longest.
   *
   * @param mixedPods the number of measured pods of MixedShapes
   * @param sharedPods the number of measured pods of SharedPool; the large one has a tenth of it,
   *     as each preemption takes longer
   */
  Benchmark(long seed, int mixedPods, int sharedPods) {
    this.seed = seed;
    this.mixedPods = mixedPods;
    this.sharedPods = sharedPods;
  }

  /** Returns whether the name contains one of the comma-separated texts. */
  public static boolean isWanted(String name, String wanted) {
    return Arrays.stream(wanted.split(",")).anyMatch(name::contains);
  }

  /** Returns all workloads. */
  List<Group> groups() {
    List<Group> groups = new ArrayList<>();
    for (Workload workload : Workloads.ordinary()) {
      Workload large = workload.times(LARGE);
      groups.add(
          new Group(
              WARM_UPS,
              RUNS,
              new Timed(workload.name(), workload::run),
              new Timed(large.name(), large::run)));
    }
    for (PreemptionWorkload.Preemptors preemptors : PreemptionWorkload.Preemptors.values()) {
      PreemptionWorkload usual = new PreemptionWorkload(NODES, preemptors);
      PreemptionWorkload large = new PreemptionWorkload(NODES * LARGE, preemptors);
      groups.add(
          new Group(
              WARM_UPS,
              RUNS,
              new Timed(usual.name(), usual::run),
              new Timed(large.name(), large::run)));
    }
    groups.add(
        new Group(
            WARM_UPS,
            RUNS,
            new Timed("GroupsThatWait", () -> GroupWorkload.streamBeside(500, "GroupsThatWait")),
            new Timed(
                "GroupsThatWait-none",
                () -> GroupWorkload.streamBeside(0, "GroupsThatWait-none"))));
    groups.add(
        new Group(
            1,
            FEW_RUNS,
            new Timed(
                "HopelessPreemptors",
                () -> StreamBeside.hopelessPreemptors(200, "HopelessPreemptors", seed)),
            new Timed(
                "HopelessPreemptors-none",
                () -> StreamBeside.hopelessPreemptors(0, "HopelessPreemptors-none", seed))));
    groups.add(
        new Group(
            1,
            FEW_RUNS,
            new Timed("ManyWaiting", () -> StreamBeside.manyWaiting(20_000, "ManyWaiting", seed)),
            new Timed(
                "ManyWaiting-none", () -> StreamBeside.manyWaiting(0, "ManyWaiting-none", seed))));
    groups.add(
        new Group(
            1,
            FEW_RUNS,
            new Timed("Queues", () -> QueuesWorkload.run("Queues", seed, true)),
            new Timed("Queues-none", () -> QueuesWorkload.run("Queues-none", seed, false))));
    groups.add(alone("GpuPlacement", () -> GpuWorkload.usual(seed).run()));
    for (ClaimsWorkload.Kind kind : ClaimsWorkload.Kind.values()) {
      groups.add(
          new Group(1, FEW_RUNS, new Timed(kind.title(), () -> ClaimsWorkload.run(kind, seed))));
    }
    for (WhatIfWorkload.Kind kind : WhatIfWorkload.Kind.values()) {
      groups.add(
          new Group(1, FEW_RUNS, new Timed(kind.title(), () -> WhatIfWorkload.run(kind, seed))));
    }
    groups.add(alone("Groups", GroupWorkload::placed));
    groups.add(alone("DaemonSet", OwnNodeWorkload::daemonSet));
    groups.add(alone("WaitForFirstConsumer", OwnNodeWorkload::firstConsumer));
    groups.add(
        new Group(
            0, FEW_RUNS, new Timed("MixedShapes", () -> new MixedShapes(seed).run(mixedPods))));
    groups.add(
        new Group(
            0,
            FEW_RUNS,
            sharedPool("SharedPool", NODES, sharedPods),
            sharedPool("SharedPool-" + NODES * LARGE, NODES * LARGE, sharedPods / LARGE)));
    groups.add(
        new Group(
            1,
            FEW_RUNS,
            new Timed("Arrivals-50000", () -> Arrivals.run(50_000, 10_000, 10, seed))));
    groups.add(
        new Group(
            1,
            FEW_RUNS,
            new Timed("Arrivals-130000", () -> Arrivals.run(130_000, 1_000, 20, seed))));
    groups.add(new Group(0, FEW_RUNS, new Timed("Memory", MemoryWorkload::run)));
    return groups;
  }

  private static Group alone(String name, Supplier<Measurement> workload) {
    return new Group(WARM_UPS, RUNS, new Timed(name, workload));
  }

  private Timed sharedPool(String name, int nodes, int pods) {
    return new Timed(name, () -> new SharedPool(name, nodes, seed).run(pods));
  }

  /**
   * Runs the selected workloads.
   *
   * @param wanted comma-separated texts, of which a workload's name must contain one; empty for all
   * @param reporter receives each measurement when it is complete
   * @return the measurements
   */
  public List<Measurement> run(String wanted, Consumer<Measurement> reporter) {
    List<Measurement> measurements = new ArrayList<>();
    for (Group group : groups()) {
      for (Measurement measurement : run(group, wanted)) {
        measurements.add(measurement);
        reporter.accept(measurement);
      }
    }
    return measurements;
  }

  /**
   * Measures those workloads of a group that are wanted, and returns the median of each. They run
   * alternately, so that a change in the speed of the machine, or in what the JVM has compiled,
   * affects all of them.
   */
  private static List<Measurement> run(Group group, String wanted) {
    Map<Timed, List<Measurement>> measured = new LinkedHashMap<>();
    for (int i = 0; i < group.warmUps() + group.runs(); i++) {
      for (Timed workload : group.workloads()) {
        if (isWanted(workload.name(), wanted)) {
          Measurement run = workload.run().get();
          if (i >= group.warmUps()) {
            measured.computeIfAbsent(workload, key -> new ArrayList<>()).add(run);
          }
        }
      }
    }
    return measured.values().stream().map(Benchmark::median).toList();
  }

  /**
   * Returns the size of the live heap, in bytes, after each round of arriving and terminating pods.
   */
  public long[] soak(int rounds, int podsPerRound) {
    return new MixedShapes(seed).soak(rounds, podsPerRound);
  }

  private static Measurement median(List<Measurement> runs) {
    runs.sort(Comparator.comparingDouble(Measurement::podsPerSecond));
    return runs.get(runs.size() / 2);
  }
}
