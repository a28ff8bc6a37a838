package io.berth.benchmarks.workload;

import io.berth.engine.ClusterEvent;
import io.berth.engine.Decision;
import io.berth.engine.PodRef;

/**
 * Preemption: nodes full of pods of low priority, four to each, and pods that need the room of
 * three. A pod is measured from its first attempt to its placement; victims are gone at once.
 */
final class PreemptionWorkload {
  private static final int PREEMPTORS = 1_000;

  private PreemptionWorkload() {}

  static Measurement run(int nodes) {
    Cluster cluster = new Cluster();
    PodKind low = PodKind.plain(1_000, 1L << 30).withPriority(1);
    for (int i = 0; i < nodes; i++) {
      cluster.addNode(Cluster.node(i, 3));
      for (int j = 0; j < 4; j++) {
        cluster.addPod(low.pod("low-" + i + "-" + j, "node-" + i));
      }
    }
    PodKind high = PodKind.plain(3_000, 3L << 30).withPriority(1_000);
    long[] nanos = new long[PREEMPTORS];
    long allocated = Allocations.ofThisThread();
    for (int i = 0; i < PREEMPTORS; i++) {
      cluster.addPod(high.pod("high-" + i, ""));
      long start = System.nanoTime();
      place(cluster);
      nanos[i] = System.nanoTime() - start;
    }
    allocated = Allocations.ofThisThread() - allocated;
    return Measurement.of(
        nodes == 5_000 ? "Preemption" : "Preemption-" + nodes,
        nanos,
        allocated,
        Allocations.liveHeapWith(cluster));
  }

  private static void place(Cluster cluster) {
    while (true) {
      Decision decision = cluster.decide();
      switch (decision) {
        case Decision.Placed placed -> {
          cluster.apply(new ClusterEvent.BindingConfirmed(placed.pod()));
          return;
        }
        case Decision.Nominated nominated -> {
          if (nominated.victims().size() != 3) {
            throw new IllegalStateException("other than three victims: " + nominated.victims());
          }
          for (PodRef victim : nominated.victims()) {
            cluster.removePod(victim);
          }
        }
        case Decision.Unschedulable unschedulable ->
            throw new IllegalStateException("Preemption: " + unschedulable.message());
      }
    }
  }
}
