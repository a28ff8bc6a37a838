package io.berth.benchmarks.workload;

import io.berth.engine.api.AdviceRequest;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.Idle;
import io.berth.engine.api.Outcome;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.PodAffinity;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.SpreadConstraint;
import io.berth.engine.model.WeightedAffinityTerm;
import io.berth.engine.time.Due;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * A simulated cluster with thousands of new pods per second and a slow API server. Only the cluster
 * is simulated; the engine is real.
 *
 * <p>The virtual clock advances by the CPU time that the engine uses, or to the next event if the
 * engine is idle. The waiting time of a pod, from its arrival to its first decision, is therefore
 * the same as with the engine on a dedicated core. Pods have 200 shapes and run for 5 s; 1 % of the
 * nodes change per second; one Binding in a hundred fails and is retried; the API server responds
 * to a Binding after 200 ms, and the watch delivers the pod another 100 ms later; the engine pauses
 * while {@link #OUTSTANDING} bindings are pending, like the operator's loop.
 */
final class Arrivals {
  private static final int SHAPES = 200;
  private static final int OUTSTANDING = 4_096;
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final long SECOND = 1_000_000_000L;
  private static final Duration LONGEST_PAUSE = Duration.ofHours(1);
  private static final long LIFE = 5 * SECOND;
  private static final long ANSWER = SECOND / 5;
  private static final long WATCH = SECOND / 10;

  private final int nodes;
  private final int podsPerSecond;
  private final int pods;
  private final LongSupplier processorTime;
  private final Cluster cluster = new Cluster();
  private final Random random;
  private final PodKind[] kinds = new PodKind[SHAPES];
  private final PriorityQueue<Task> due =
      new PriorityQueue<>(Comparator.comparingLong(Task::at).thenComparingLong(Task::order));
  private final Map<PodRef, Pending> pending = new HashMap<>();
  private final Set<PodRef> firstDecisions = new HashSet<>();
  private final long[] waits;

  private long now;
  private long busy;
  private long order;
  private int outstanding;
  private int decided;
  private int bound;

  /** An event at a time of the virtual clock, in nanoseconds. */
  private record Task(long at, long order, Runnable what) {}

  /** A pod that is not bound yet. */
  private record Pending(PodModel pod, PodKind kind, long arrived) {}

  private Arrivals(
      int nodes, int podsPerSecond, int seconds, long seed, LongSupplier processorTime) {
    this.processorTime = processorTime;
    this.random = new Random(seed);
    this.nodes = nodes;
    this.podsPerSecond = podsPerSecond;
    this.pods = podsPerSecond * seconds;
    this.waits = new long[pods];
    for (int i = 0; i < SHAPES; i++) {
      kinds[i] = kind(i);
    }
  }

  /**
   * Runs the simulation until every pod is bound.
   *
   * @return the number of decisions per second of the engine's CPU time, and the waiting times of
   *     pods, from arrival to first decision, in virtual time
   */
  static Measurement run(int nodes, int podsPerSecond, int seconds, long seed) {
    return run(nodes, podsPerSecond, seconds, seed, ProcessorTime::ofThisThread);
  }

  /**
   * Runs the same simulation with another measure of the time that the engine uses. With one that
   * does not depend on the machine, neither do the steps.
   *
   * @param processorTime returns the CPU time used so far, in nanoseconds
   */
  static Measurement run(
      int nodes, int podsPerSecond, int seconds, long seed, LongSupplier processorTime) {
    return new Arrivals(nodes, podsPerSecond, seconds, seed, processorTime).run();
  }

  private static PodKind kind(int number) {
    String name = "app-" + number;
    LabelSelector own = LabelSelector.ofPairs(Map.of("app", name));
    PodKind base =
        PodKind.plain(50 + number % 7 * 10, (100 + number % 5 * 50) * PodKind.MIB)
            .labelled(Map.of("app", name));
    return switch (number % 4) {
      case 0 -> base;
      case 1 ->
          base.on(
              new NodeSelection(
                  Map.of(PodKind.ZONE, "zone" + (1 + number % 3)), Optional.empty(), List.of()));
      case 2 -> base.spread(new SpreadConstraint(5, PodKind.ZONE, true, own, 1, true, false));
      default ->
          base.with(
              new PodAffinity(
                  List.of(),
                  List.of(),
                  List.of(),
                  List.of(
                      new WeightedAffinityTerm(100, PodKind.near("app", name, PodKind.HOSTNAME)))));
    };
  }

  private Measurement run() {
    cluster.addNodes(nodes);
    for (int i = 0; i < pods; i++) {
      int number = i;
      at(i * SECOND / podsPerSecond, () -> arrive(number));
    }
    long betweenChanges = 100 * SECOND / nodes;
    for (long at = betweenChanges; at < pods * SECOND / podsPerSecond; at += betweenChanges) {
      at(at, this::changeNode);
    }
    Meter meter = Meter.start(cluster);
    while (bound < pods) {
      while (!due.isEmpty() && due.element().at() <= now) {
        due.remove().what().run();
      }
      if (outstanding >= OUTSTANDING || !decide()) {
        now = Math.max(now, due.element().at());
      }
    }
    return meter.stop("Arrivals-" + nodes, pods * (double) SECOND / busy, pods, waits, cluster);
  }

  private void at(long nanos, Runnable what) {
    due.add(new Task(nanos, order++, what));
  }

  private void arrive(int number) {
    PodKind kind = kinds[random.nextInt(SHAPES)];
    PodModel pod = kind.pod("pod-" + number, "");
    pending.put(pod.ref(), new Pending(pod, kind, now));
    tell(new ClusterEvent.PodUpserted(pod));
  }

  private void changeNode() {
    int number = random.nextInt(nodes);
    tell(
        new ClusterEvent.NodeUpserted(
            Cluster.node(number, 3, 3_900 + random.nextInt(100), 32L << 30, 110)));
  }

  /** Requests one decision from the engine, and returns whether there was one. */
  private boolean decide() {
    long began = processorTime.getAsLong();
    Outcome outcome = cluster.next(instant());
    spent(began);
    switch (outcome) {
      case Idle(Due until) -> {
        if (!until.equals(Due.NEVER)) {
          at(now + Math.max(1, until.pause(instant(), LONGEST_PAUSE).toNanos()), () -> {});
        }
        return false;
      }
      case Decision.Placed placed -> bind(placed);
      case AdviceRequest adviceRequest ->
          throw new IllegalStateException("Arrivals: asks for advice about " + adviceRequest.pod());
      case Decision other ->
          throw new IllegalStateException("Arrivals: " + other.record().message());
    }
    return true;
  }

  private void bind(Decision.Placed placed) {
    PodRef ref = placed.pod();
    Pending pod = Objects.requireNonNull(pending.get(ref));
    if (firstDecisions.add(ref)) {
      waits[decided++] = now - pod.arrived();
    }
    outstanding++;
    boolean fails = random.nextInt(100) == 0;
    at(now + ANSWER, () -> answered(placed, pod, fails));
  }

  private void answered(Decision.Placed placed, Pending pod, boolean fails) {
    PodRef ref = placed.pod();
    outstanding--;
    if (fails) {
      tell(new ClusterEvent.BindingFailed(ref, "the server is overloaded", true));
      return;
    }
    bound++;
    pending.remove(ref);
    firstDecisions.remove(ref);
    tell(new ClusterEvent.BindingConfirmed(ref));
    PodModel seen = pod.kind().pod(ref.name(), placed.nodeName());
    at(now + WATCH, () -> tell(new ClusterEvent.PodUpserted(seen)));
    at(now + LIFE, () -> tell(new ClusterEvent.PodRemoved(ref)));
  }

  private void tell(ClusterEvent event) {
    long began = processorTime.getAsLong();
    cluster.apply(event, instant());
    spent(began);
  }

  /** Advances the virtual clock by the CPU time that the engine used. */
  private void spent(long began) {
    long nanos = processorTime.getAsLong() - began;
    busy += nanos;
    now += nanos;
  }

  private Instant instant() {
    return START.plusNanos(now);
  }
}
