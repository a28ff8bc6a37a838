package io.berth.benchmarks.workload;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.PodAffinity;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.model.SpreadConstraint;
import io.berth.engine.model.WeightedAffinityTerm;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * A workload with low cache hit rates: 3,000 shapes of pods with 1,000 selectors, a unique label on
 * each pod, and changes to the labels or the capacity of a node for every {@link #PODS_PER_CHANGE}
 * pods, as 1 % of the nodes per second would be at 10,000 pods per second.
 */
final class MixedShapes {
  private static final int NODES = 5_000;
  private static final int SHAPES = 3_000;
  private static final int APPS = 1_000;
  private static final long RUNNING = 30_000;
  private static final int PODS_PER_CHANGE = 200;

  private final Cluster cluster = new Cluster();
  private final Random random;
  private final NodeModel[] nodes = new NodeModel[NODES];
  private final PodKind[] kinds = new PodKind[SHAPES];
  private final Deque<PodRef> placed = new ArrayDeque<>();
  private long names;

  MixedShapes(long seed) {
    random = new Random(seed);
    for (int i = 0; i < NODES; i++) {
      nodes[i] = Cluster.node(i, 3);
      change(i);
    }
    for (int i = 0; i < SHAPES; i++) {
      kinds[i] = kind(i);
    }
  }

  /**
   * Returns one of the shapes. Each selector is used by three: with a spread constraint, with
   * preferred anti-affinity, and with preferred affinity.
   */
  private static PodKind kind(int number) {
    int app = number % APPS;
    String name = "app-" + app;
    LabelSelector own = LabelSelector.ofPairs(Map.of("app", name));
    PodKind base =
        PodKind.plain(50 + number % 7 * 10, (100 + number % 5 * 50) * PodKind.MIB)
            .labelled(Map.of("app", name))
            .on(
                number % 4 == 0
                    ? new NodeSelection(
                        Map.of("pool", "pool-" + number % 3), Optional.empty(), List.of())
                    : NodeSelection.none());
    return switch (number / APPS) {
      case 0 ->
          base.spread(new SpreadConstraint(5, PodKind.ZONE, number % 2 == 0, own, 1, true, false));
      case 1 ->
          base.with(
              new PodAffinity(
                  List.of(),
                  List.of(),
                  List.of(),
                  List.of(
                      new WeightedAffinityTerm(100, PodKind.near("app", name, PodKind.HOSTNAME)))));
      default ->
          base.with(
              new PodAffinity(
                  List.of(),
                  List.of(),
                  List.of(new WeightedAffinityTerm(50, PodKind.near("app", name, PodKind.ZONE))),
                  List.of()));
    };
  }

  /** Changes the pool, another label, or the allocatable resources of a node. */
  private void change(int number) {
    NodeModel node = nodes[number];
    Map<String, String> labels = new HashMap<>(node.labels());
    ResourceAmounts allocatable = node.allocatable();
    switch (random.nextInt(3)) {
      case 0 -> labels.put("pool", "pool-" + random.nextInt(3));
      case 1 -> labels.put("revision", "r" + random.nextInt(1_000_000));
      default ->
          allocatable =
              ResourceAmounts.of(
                  Map.of(
                      "cpu",
                      3_900L + random.nextInt(100),
                      "memory",
                      32L << 30,
                      "ephemeral-storage",
                      100L << 30,
                      "pods",
                      110L));
    }
    labels.putIfAbsent("pool", "pool-" + number % 3);
    nodes[number] = Nodes.from(node).labels(labels).allocatable(allocatable).build();
    cluster.addNode(nodes[number]);
  }

  private PodModel nextPod() {
    PodKind kind = kinds[random.nextInt(SHAPES)];
    long number = names++;
    Map<String, String> labels = new HashMap<>(kind.labels());
    labels.put("unique", "value-" + number);
    return kind.labelled(labels).pod("pod-" + number, "");
  }

  /** Places one pod, and removes the oldest if more than 30,000 are running. */
  private void step() {
    cluster.addPod(nextPod());
    Decision decision = cluster.decide();
    if (!(decision instanceof Decision.Placed)) {
      throw new IllegalStateException("MixedShapes: " + decision.record().message());
    }
    cluster.apply(new ClusterEvent.BindingConfirmed(decision.pod()));
    placed.addLast(decision.pod());
    if (placed.size() > RUNNING) {
      cluster.removePod(placed.removeFirst());
    }
    if (names % PODS_PER_CHANGE == 0) {
      change(random.nextInt(NODES));
    }
  }

  /** Runs the workload. The time of a pod includes its arrival and the removal of another pod. */
  Measurement run(int pods) {
    for (int i = 0; i < RUNNING; i++) {
      step();
    }
    long[] nanos = new long[pods];
    Meter meter = Meter.start(cluster);
    for (int i = 0; i < pods; i++) {
      long start = System.nanoTime();
      step();
      nanos[i] = System.nanoTime() - start;
    }
    return meter.stop("MixedShapes", nanos, this);
  }

  /**
   * Returns the size of the live heap, in bytes, after each round of arriving and terminating pods.
   */
  long[] soak(int rounds, int podsPerRound) {
    long[] heap = new long[rounds];
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < podsPerRound; i++) {
        step();
      }
      heap[round] = Allocations.liveHeapWith(this);
    }
    return heap;
  }
}
