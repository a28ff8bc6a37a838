package io.berth.benchmarks.workload;

import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.Requirement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

/** Pods with different specs: each selects its own node, or has its own claim. */
final class OwnNodeWorkload {
  private static final int NODES = 5_000;
  private static final int CLAIMS = 2_000;
  private static final PodKind POD = PodKind.plain(100, 500 * PodKind.MIB);

  private OwnNodeWorkload() {}

  /** Measures the pods of a DaemonSet, one for each of 5,000 nodes. */
  static Measurement daemonSet() {
    return run("DaemonSet", cluster(), NODES, OwnNodeWorkload::daemon);
  }

  /**
   * Measures 2,000 pods, each with a claim that waits for its first consumer, and two local volumes
   * on each node.
   */
  static Measurement firstConsumer() {
    Cluster cluster = cluster();
    Storage.addClass(cluster);
    for (int i = 0; i < NODES; i++) {
      Storage.addVolume(cluster, "disk-" + i + "-a", "node-" + i);
      Storage.addVolume(cluster, "disk-" + i + "-b", "node-" + i);
    }
    for (int i = 0; i < CLAIMS; i++) {
      Storage.addClaim(cluster, "claim-" + i, 1);
    }
    return run(
        "WaitForFirstConsumer", cluster, CLAIMS, number -> Storage.using(POD, "claim-" + number));
  }

  private static Cluster cluster() {
    Cluster cluster = new Cluster();
    cluster.addNodes(NODES);
    return cluster;
  }

  private static PodKind daemon(int node) {
    Requirement name = Requirement.isOneOf("metadata.name", "node-" + node);
    NodeTerm onNode = new NodeTerm(List.of(), List.of(name), false);
    return POD.on(new NodeSelection(Map.of(), Optional.of(List.of(onNode)), List.of()));
  }

  private static Measurement run(
      String name, Cluster cluster, int pods, IntFunction<PodKind> kind) {
    for (int i = 0; i < pods; i++) {
      PodModel pod = kind.apply(i).pod("measured-" + i, "");
      cluster.addPod(pod);
    }
    return cluster.measurePlacing(name, pods);
  }
}
