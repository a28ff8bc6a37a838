package io.berth.benchmarks.workload;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.policy.CardChoice;
import io.berth.crds.policy.GpuPlacement;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.model.Card;
import io.berth.engine.model.NodeModel;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Pods of the {@link GpuMix} on nodes with eight cards, with the policy for GPU pools: all cards of
 * all nodes are examined for every pod, and the target workload is derived from the pods that have
 * arrived.
 *
 * @param nodes the number of nodes
 * @param running the number of pods placed before the measurement
 * @param measured the number of measured pods
 * @param seed the seed of the pods
 */
record GpuWorkload(int nodes, int running, int measured, long seed) {
  private static final int CARDS_OF_NODE = 8;

  static GpuWorkload usual(long seed) {
    return new GpuWorkload(5_000, 15_000, 10_000, seed);
  }

  /** Returns the policy for GPU pools that is part of the samples. */
  private static SchedulingPolicySpec policy() {
    return SchedulingPolicySpec.defaults()
        .withGpu(new GpuPlacement(CardChoice.LEAST_FRAGMENTATION, List.of()));
  }

  /** Returns a node of the largest size in the trace, which some pods require. */
  private static NodeModel node(int number) {
    return Nodes.from(Cluster.node(number, 3, 128_000, 768L << 30, 110))
        .cards(Collections.nCopies(CARDS_OF_NODE, Card.of("G3")))
        .build();
  }

  /**
   * Runs the workload once on a new engine. A pod is measured from the queue to the assumed pod,
   * with a Binding that always succeeds.
   */
  Measurement run() {
    Cluster cluster = new Cluster(policy());
    for (int i = 0; i < nodes; i++) {
      cluster.addNode(node(i));
    }
    GpuMix mix = new GpuMix();
    Random random = new Random(seed);
    for (int i = 0; i < running; i++) {
      place(cluster, mix.draw(random), "running-" + i);
    }
    long[] nanos = new long[measured];
    Meter meter = Meter.start(cluster);
    for (int i = 0; i < measured; i++) {
      nanos[i] = place(cluster, mix.draw(random), "measured-" + (running + i));
    }
    return meter.stop("GpuPlacement", nanos, cluster);
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
