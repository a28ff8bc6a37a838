package io.berth.demo.nemesis;

import io.berth.demo.history.FaultSpan;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** Executes a plan of faults on running Berth instances. */
public final class Nemesis {
  private static final Duration PUNCTUAL = Duration.ofSeconds(1);

  private final NemesisPlan plan;
  private final List<ExposedBerth> berths;
  private final InstantSource clock;

  public Nemesis(NemesisPlan plan, List<ExposedBerth> berths, InstantSource clock) {
    this.plan = plan;
    this.berths = List.copyOf(berths);
    this.clock = clock;
  }

  /**
   * Executes the plan and returns when the last fault is over.
   *
   * @param report receives a line at the start of each fault
   * @return the actual periods of the faults
   */
  public List<FaultSpan> run(Consumer<String> report) throws InterruptedException {
    Instant start = clock.instant();
    List<Future<List<FaultSpan>>> running = new ArrayList<>();
    try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < berths.size(); i++) {
        int target = i;
        running.add(executor.submit(() -> disturb(target, start, report)));
      }
    }
    List<FaultSpan> spans = new ArrayList<>();
    for (Future<List<FaultSpan>> one : running) {
      try {
        spans.addAll(one.get());
      } catch (ExecutionException e) {
        throw new IllegalStateException("a fault could not be injected: " + e.getCause(), e);
      }
    }
    return spans;
  }

  /**
   * Injects the faults of one target sequentially. A fault that ends late, such as a slow restart,
   * delays the next one.
   */
  private List<FaultSpan> disturb(int target, Instant start, Consumer<String> report)
      throws Exception {
    List<FaultSpan> spans = new ArrayList<>();
    for (Fault fault : plan.faults()) {
      if (fault.target() == target) {
        spans.add(disturb(fault, start, report));
      }
    }
    return spans;
  }

  private FaultSpan disturb(Fault fault, Instant start, Consumer<String> report) throws Exception {
    ExposedBerth berth = berths.get(fault.target());
    sleepUntil(start.plus(fault.at()));
    String what = fault.text(berth.name());
    Instant began = clock.instant();
    Duration late = Duration.between(start.plus(fault.at()), began);
    report.accept(late.compareTo(PUNCTUAL) > 0 ? what + late(late) : what);
    berth.begin(fault.kind());
    sleepUntil(began.plus(fault.length()));
    berth.end(fault.kind());
    return new FaultSpan(what.strip(), began, clock.instant());
  }

  private static String late(Duration late) {
    return ", "
        + late.toSeconds()
        + " s later than planned, because the previous fault took longer";
  }

  private void sleepUntil(Instant time) throws InterruptedException {
    Duration left = Duration.between(clock.instant(), time);
    if (left.isPositive()) {
      Thread.sleep(left);
    }
  }
}
