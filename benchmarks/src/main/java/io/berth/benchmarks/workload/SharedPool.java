package io.berth.benchmarks.workload;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineDump;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.model.Card;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodRef;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/**
 * A pool that several kinds of workloads share, in which hardly two pods are alike ({@link
 * SharedPoolStream}): 92 % of the CPUs are allocated, and old pods leave when new ones come. For
 * every 10 pods, a node sends a heartbeat, and for every 200, the labels of a node change.
 * Everything is drawn from the seed and tied to the number of pods, so that two runs do the same
 * work.
 */
final class SharedPool {
  private static final int CARDS_OF_NODE = 8;
  private static final long MILLI_CPU_OF_NODE = 8_000;

  /** The share of the nodes that have cards. */
  private static final int NODES_PER_GPU_NODE = 10;

  private static final int PODS_PER_HEARTBEAT = 10;
  private static final int PODS_PER_LABEL_CHANGE = 200;

  /** The share of the CPUs up to which most pods of high priority find room without evictions. */
  private static final double ALMOST_FULL = 0.6;

  private static final double FULL = 0.92;
  private static final double CARDS_IN_USE = 0.8;
  private static final int MOST_ROUNDS = 10;

  /** The share of pods that may fit nowhere before the workload is not the one described here. */
  private static final double MOST_UNPLACED = 0.01;

  /** The least and the greatest share of pods that are the first of their shape. */
  private static final double LEAST_FIRST = 0.015;

  private static final double MOST_FIRST = 0.03;

  /** The least share of pods that evict others. */
  private static final double LEAST_PREEMPTING = 0.04;

  private final String name;
  private final Random random;
  private final SharedPoolStream stream;
  private final Cluster cluster = new Cluster();
  private final NodeModel[] nodes;
  private final long mostMilliCpu;
  private final Deque<PodRef> placed = new ArrayDeque<>();
  private final Deque<PodRef> placedOnCards = new ArrayDeque<>();
  private final Map<PodRef, SharedPoolStream.Drawn> running = new HashMap<>();
  private SharedPoolStream.Phase phase = SharedPoolStream.Phase.FILLING;
  private long milliCpu;
  private long milliCards;
  private long steps;
  private long preempting;
  private long unplaced;

  SharedPool(String name, int nodeCount, long seed) {
    this.name = name;
    this.random = new Random(seed);
    this.stream = new SharedPoolStream(new Random(seed + 1), nodeCount);
    this.nodes = new NodeModel[nodeCount];
    this.mostMilliCpu = nodeCount * MILLI_CPU_OF_NODE;
    SharedPoolStream.policies().forEach(cluster::serve);
    for (int i = 0; i < nodeCount; i++) {
      nodes[i] = node(i);
      cluster.addNode(nodes[i]);
    }
  }

  private static NodeModel node(int number) {
    NodeModel plain =
        Nodes.from(Cluster.node(number, 3, MILLI_CPU_OF_NODE, 32L << 30, 110))
            .label("pool", "pool-" + number % 4)
            .build();
    return number % NODES_PER_GPU_NODE == 0
        ? Nodes.from(plain).cards(Collections.nCopies(CARDS_OF_NODE, Card.of("G3"))).build()
        : plain;
  }

  /**
   * Fills the pool and measures the placement of pods.
   *
   * @return the rate by the CPU time of all work, with the removal of other pods and the changes of
   *     nodes; and the times from the arrival of a pod to its last decision, with the evictions
   *     that it needs
   */
  Measurement run(int pods) {
    while (phase != SharedPoolStream.Phase.FULL) {
      step();
    }
    unplaced = 0;
    preempting = 0;
    long plansBefore = cluster.cache().plansMade();
    long[] nanos = new long[pods];
    Meter meter = Meter.start(cluster);
    for (int i = 0; i < pods; i++) {
      nanos[i] = step();
    }
    Measurement measured = meter.stop(name, nanos, this);
    require(unplaced <= MOST_UNPLACED * pods, "%d of %d pods fit nowhere", unplaced, pods);
    require(preempting >= LEAST_PREEMPTING * pods, "%d of %d pods evict others", preempting, pods);
    checkShapes(cluster.cache().plansMade() - plansBefore, pods);
    return measured;
  }

  /** Checks how many pods are the first of their shape: a plan is made for each of these. */
  private void checkShapes(long plansMade, int pods) {
    EngineDump.Cache cache = cluster.cache();
    boolean anyDropped = cache.plans() < cache.plansMade();
    require(
        plansMade >= LEAST_FIRST * pods && (anyDropped || plansMade <= MOST_FIRST * pods),
        "%d of %d pods have no plan yet",
        plansMade,
        pods);
  }

  private void require(boolean holds, String otherwise, long count, int pods) {
    if (!holds) {
      throw new IllegalStateException(name + ": " + otherwise.formatted(count, pods));
    }
  }

  /** Places one pod, and lets others leave; returns the time of the placement, in nanoseconds. */
  private long step() {
    steps++;
    SharedPoolStream.Drawn drawn = stream.next(phase);
    long start = System.nanoTime();
    place(drawn);
    long nanos = System.nanoTime() - start;
    if (phase == SharedPoolStream.Phase.FILLING && milliCpu > ALMOST_FULL * mostMilliCpu) {
      phase = SharedPoolStream.Phase.ALMOST_FULL;
    }
    while (milliCpu > FULL * mostMilliCpu && !placed.isEmpty()) {
      phase = SharedPoolStream.Phase.FULL;
      leave(placed.removeFirst());
    }
    double mostMilliCards =
        CARDS_IN_USE * nodes.length / NODES_PER_GPU_NODE * CARDS_OF_NODE * Card.MILLI_CORES;
    while (milliCards > mostMilliCards) {
      leave(placedOnCards.removeFirst());
    }
    if (steps % PODS_PER_HEARTBEAT == 0) {
      heartbeat(random.nextInt(nodes.length));
    }
    if (steps % PODS_PER_LABEL_CHANGE == 0) {
      relabel(random.nextInt(nodes.length));
    }
    return nanos;
  }

  private void place(SharedPoolStream.Drawn drawn) {
    cluster.addPod(drawn.pod());
    for (int round = 0; round < MOST_ROUNDS; round++) {
      Decision decision = cluster.decide();
      switch (decision) {
        case Decision.Placed bound -> {
          cluster.apply(new ClusterEvent.BindingConfirmed(bound.pod()));
          if (!bound.pod().equals(drawn.pod().ref())) {
            throw new IllegalStateException(name + ": placed " + bound.pod() + ", which had left");
          }
          runs(drawn);
          return;
        }
        case Decision.Nominated nominated -> {
          preempting += round == 0 ? 1 : 0;
          nominated.victims().forEach(this::leave);
        }
        case Decision.Unschedulable _ -> {
          unplaced++;
          cluster.removePod(drawn.pod().ref());
          return;
        }
        case Decision.GivenBack givenBack ->
            throw new IllegalStateException(name + ": " + givenBack.message());
        case Decision.Quarantined quarantined ->
            throw new IllegalStateException(name, quarantined.cause());
      }
    }
    throw new IllegalStateException(
        name + ": " + drawn.pod().ref() + " is not placed after all evictions");
  }

  private void runs(SharedPoolStream.Drawn drawn) {
    running.put(drawn.pod().ref(), drawn);
    (drawn.milliCards() > 0 ? placedOnCards : placed).addLast(drawn.pod().ref());
    milliCpu += drawn.milliCpu();
    milliCards += drawn.milliCards();
  }

  /** Removes a pod, unless it was evicted before. */
  private void leave(PodRef pod) {
    SharedPoolStream.Drawn drawn = running.remove(pod);
    if (drawn != null) {
      milliCpu -= drawn.milliCpu();
      milliCards -= drawn.milliCards();
      cluster.removePod(pod);
    }
  }

  /** Sends a node again without a change, as an object of its own, as a parsed one is. */
  private void heartbeat(int number) {
    cluster.addNode(Nodes.from(Objects.requireNonNull(nodes[number])).build());
  }

  private void relabel(int number) {
    NodeModel node = Objects.requireNonNull(nodes[number]);
    Map<String, String> labels = new HashMap<>(node.labels());
    labels.put("pool", "pool-" + random.nextInt(4));
    nodes[number] = Nodes.from(node).labels(labels).build();
    cluster.addNode(nodes[number]);
  }
}
