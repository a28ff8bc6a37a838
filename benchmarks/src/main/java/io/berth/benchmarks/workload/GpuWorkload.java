package io.berth.benchmarks.workload;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.policy.CardChoice;
import io.berth.crds.policy.GpuPlacement;
import io.berth.engine.ClusterEvent;
import io.berth.engine.Decision;
import io.berth.engine.model.Card;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.Nodes;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Pods of the {@link GpuMix} on nodes of eight cards, by the policy for GPU pools: every card of
 * every node is looked at for every pod, and the mix is learnt as the pods come.
 *
 * @param nodes how many nodes
 * @param running how many pods are placed before the measurement
 * @param measured how many pods are measured
 */
record GpuWorkload(int nodes, int running, int measured) {
  private static final int CARDS_OF_NODE = 8;

  static GpuWorkload usual() {
    return new GpuWorkload(5_000, 15_000, 10_000);
  }

  /** The policy for GPU pools, as the samples ship it. */
  private static SchedulingPolicySpec policy() {
    return SchedulingPolicySpec.defaults()
        .withGpu(new GpuPlacement(CardChoice.LEAST_FRAGMENTATION, List.of()));
  }

  /** A node of the size of the largest in the trace, which some pods need. */
  private static NodeModel node(int number) {
    return Nodes.from(Cluster.node(number, 3, 128_000, 768L << 30, 110))
        .cards(Collections.nCopies(CARDS_OF_NODE, Card.of("G3")))
        .build();
  }

  /** One run on a new engine, from queue to assumed, with a Binding that always succeeds. */
  Measurement run() {
    Cluster cluster = new Cluster(policy());
    for (int i = 0; i < nodes; i++) {
      cluster.addNode(node(i));
    }
    GpuMix mix = new GpuMix();
    Random random = new Random(42);
    for (int i = 0; i < running; i++) {
      place(cluster, mix.draw(random), "running-" + i);
    }
    long[] nanos = new long[measured];
    long allocated = Allocations.ofThisThread();
    for (int i = 0; i < measured; i++) {
      nanos[i] = place(cluster, mix.draw(random), "measured-" + i);
    }
    allocated = Allocations.ofThisThread() - allocated;
    return Measurement.of("GpuPlacement", nanos, allocated, Allocations.liveHeapWith(cluster));
  }

  private static long place(Cluster cluster, PodKind kind, String name) {
    cluster.addPod(kind.pod(name, ""));
    long start = System.nanoTime();
    Decision decision = cluster.decide();
    if (!(decision instanceof Decision.Placed)) {
      throw new IllegalStateException("GpuPlacement: " + decision.record().message());
    }
    cluster.apply(new ClusterEvent.BindingConfirmed(decision.pod()));
    return System.nanoTime() - start;
  }
}
