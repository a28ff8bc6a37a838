package io.berth.benchmarks.workload;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.PodRef;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * A stream of small pods, of which 2,000 run at a time, while other pods are pending that cannot be
 * placed. The time of a pod covers its arrival, its placement, and the removal of another pod,
 * including the cost of the pending pods.
 */
final class StreamBeside {
  private static final int NODES = 5_000;
  private static final int STREAM = 6_000;
  private static final int PODS_PER_SECOND = 2_000;
  private static final int LIVING = 2_000;

  /** The maximum CPU time of a stream, in nanoseconds, after which it stops early. */
  private static final long MOST_NANOS = 30_000_000_000L;

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final PodKind SMALL = PodKind.plain(100, 100 * PodKind.MIB);

  private final String name;
  private final Cluster cluster = new Cluster();
  private final Random random;

  /** The number of pods in the stream per change of a node; 0 for no changes. */
  private int podsPerNodeEvent;

  private StreamBeside(String name, long seed) {
    this.random = new Random(seed);
    this.name = name;
    cluster.addNodes(NODES);
  }

  /**
   * Measures the stream while pods of high priority are pending for which no node has room, even
   * after evictions: each node runs one pod of their own priority and two of a lower one.
   *
   * @param preemptors the number of pending pods; 0 to measure only the stream
   */
  static Measurement hopelessPreemptors(int preemptors, String name, long seed) {
    StreamBeside stream = new StreamBeside(name, seed);
    PodKind low = PodKind.plain(1_000, 1L << 30).withPriority(1);
    PodKind high = PodKind.plain(1_000, 1L << 30).withPriority(1_000);
    for (int i = 0; i < NODES; i++) {
      stream.cluster.addPod(high.pod("high-" + i, "node-" + i));
      stream.cluster.addPod(low.pod("low-" + i + "-a", "node-" + i));
      stream.cluster.addPod(low.pod("low-" + i + "-b", "node-" + i));
    }
    PodKind hopeless = PodKind.plain(3_500, 1L << 30).withPriority(1_000);
    for (int i = 0; i < preemptors; i++) {
      stream.cluster.addPod(hopeless.pod("hopeless-" + i, ""));
    }
    return stream.run();
  }

  /**
   * Measures the stream while many pods are pending, ten of each shape, and 100 nodes change per
   * second. A third of the pending pods request more than a node has, a third select a pool that
   * does not exist, and a third have claims for which no volume is large enough.
   *
   * @param waiting the number of pending pods; 0 to measure only the stream
   */
  static Measurement manyWaiting(int waiting, String name, long seed) {
    StreamBeside stream = new StreamBeside(name, seed);
    stream.podsPerNodeEvent = PODS_PER_SECOND / 100;
    Storage.addClass(stream.cluster);
    for (int i = 0; i < NODES; i++) {
      Storage.addVolume(stream.cluster, "disk-" + i, "node-" + i);
    }
    for (int i = 0; i < waiting; i++) {
      stream.cluster.addPod(stream.waiting(i, i / 10).pod("waiting-" + i, ""));
    }
    return stream.run();
  }

  private PodKind waiting(int number, int shape) {
    return switch (shape % 3) {
      case 0 -> PodKind.plain(5_000 + shape, PodKind.MIB);
      case 1 ->
          SMALL.on(new NodeSelection(Map.of("pool", "pool-" + shape), Optional.empty(), List.of()));
      default -> {
        Storage.addClaim(cluster, "claim-" + number, 100 + shape);
        yield Storage.using(SMALL, "claim-" + number);
      }
    };
  }

  private Measurement run() {
    cluster.drain(START);
    long[] nanos = new long[STREAM];
    long busy = 0;
    Meter meter = Meter.start(cluster);
    int done = 0;
    for (int i = 0; i < STREAM && busy < MOST_NANOS; i++) {
      Instant now = START.plusNanos(i * 1_000_000_000L / PODS_PER_SECOND);
      long began = ProcessorTime.ofThisThread();
      step(i, now);
      nanos[i] = ProcessorTime.ofThisThread() - began;
      busy += nanos[i];
      done++;
    }
    return meter.stop(name, busy, Arrays.copyOf(nanos, done), cluster);
  }

  private void step(int number, Instant now) {
    cluster.apply(new ClusterEvent.PodUpserted(SMALL.pod("stream-" + number, "")), now);
    cluster.drain(now);
    if (number >= LIVING) {
      String gone = "stream-" + (number - LIVING);
      PodRef ref = new PodRef(PodKind.NAMESPACE, gone, "uid-" + gone);
      cluster.apply(new ClusterEvent.PodRemoved(ref), now);
    }
    if (podsPerNodeEvent > 0 && number % podsPerNodeEvent == 0) {
      int node = random.nextInt(NODES);
      long milliCpu = 3_900L + random.nextInt(100);
      cluster.apply(
          new ClusterEvent.NodeUpserted(Cluster.node(node, 3, milliCpu, 32L << 30, 110)), now);
    }
    cluster.drain(now);
  }
}
