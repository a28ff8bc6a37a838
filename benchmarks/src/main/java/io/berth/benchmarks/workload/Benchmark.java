package io.berth.benchmarks.workload;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Runs the workloads. Each is measured after warm-up runs. */
public final class Benchmark {
  private static final int WARM_UPS = 2;
  private static final int RUNS = 3;

  private final List<Measurement> measurements = new ArrayList<>();
  private final Consumer<Measurement> reporter;

  /**
   * Creates a benchmark.
   *
   * @param reporter receives each measurement when it is complete
   */
  public Benchmark(Consumer<Measurement> reporter) {
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
    List<Workload> ordinary = Workloads.ordinary();
    for (Workload workload : ordinary) {
      measure(workload.name(), wanted, () -> workload.run());
    }
    preemptions(5_000, wanted);
    measure("GpuPlacement", wanted, () -> GpuWorkload.usual().run());
    measure("Groups", wanted, GroupWorkload::placed);
    if (isWanted("GroupsThatWait-none", wanted)) {
      inTurn(
          2 * WARM_UPS,
          RUNS,
          () -> GroupWorkload.streamBeside(500, "GroupsThatWait"),
          () -> GroupWorkload.streamBeside(0, "GroupsThatWait-none"));
    }
    measure("DaemonSet", wanted, OwnNodeWorkload::daemonSet);
    measure("WaitForFirstConsumer", wanted, OwnNodeWorkload::firstConsumer);
    if (isWanted("HopelessPreemptors-none", wanted)) {
      inTurn(
          1,
          1,
          () -> StreamBeside.hopelessPreemptors(200, "HopelessPreemptors"),
          () -> StreamBeside.hopelessPreemptors(0, "HopelessPreemptors-none"));
    }
    if (isWanted("ManyWaiting-none", wanted)) {
      inTurn(
          1,
          1,
          () -> StreamBeside.manyWaiting(20_000, "ManyWaiting"),
          () -> StreamBeside.manyWaiting(0, "ManyWaiting-none"));
    }
    if (isWanted("MixedShapes", wanted)) {
      report(new MixedShapes().run(20_000));
    }
    for (Workload workload : ordinary) {
      Workload large = workload.times(10);
      measure(large.name(), wanted, () -> large.run());
    }
    preemptions(50_000, wanted);
    measure("Arrivals-50000", wanted, () -> Arrivals.run(50_000, 10_000, 10));
    measure("Arrivals-130000", wanted, () -> Arrivals.run(130_000, 1_000, 20));
    if (isWanted("Memory", wanted)) {
      report(MemoryWorkload.run());
    }
    return List.copyOf(measurements);
  }

  private void preemptions(int nodes, String wanted) {
    for (PreemptionWorkload.Preemptors preemptors : PreemptionWorkload.Preemptors.values()) {
      PreemptionWorkload workload = new PreemptionWorkload(nodes, preemptors);
      // A thousand preemptors take less time than the JVM takes to compile their code.
      measure(workload.name(), wanted, WARM_UPS, RUNS, workload::run);
    }
  }

  /**
   * Returns the size of the live heap, in bytes, after each round of arriving and terminating pods.
   */
  public long[] soak(int rounds, int podsPerRound) {
    return new MixedShapes().soak(rounds, podsPerRound);
  }

  private void measure(String name, String wanted, Supplier<Measurement> workload) {
    boolean large = name.endsWith("0000");
    measure(name, wanted, large ? 1 : WARM_UPS, large ? 1 : RUNS, workload);
  }

  private void measure(
      String name, String wanted, int warmUps, int runs, Supplier<Measurement> workload) {
    if (!isWanted(name, wanted)) {
      return;
    }
    List<Measurement> measured = new ArrayList<>();
    for (int i = 0; i < warmUps + runs; i++) {
      Measurement run = workload.get();
      if (i >= warmUps) {
        measured.add(run);
      }
    }
    report(median(measured));
  }

  /** Measures two compared workloads alternately, so that the JVM is equally warmed up for both. */
  private void inTurn(
      int warmUps, int runs, Supplier<Measurement> one, Supplier<Measurement> other) {
    List<Measurement> runsOfOne = new ArrayList<>();
    List<Measurement> runsOfOther = new ArrayList<>();
    for (int i = 0; i < warmUps + runs; i++) {
      Measurement first = one.get();
      Measurement second = other.get();
      if (i >= warmUps) {
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
