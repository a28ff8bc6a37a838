package io.berth.benchmarks.workload;

import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * A workload of scheduler_perf: pods of one kind are scheduled on a cluster with running pods.
 *
 * @param nodes the number of nodes
 * @param node creates a node by its number
 * @param running the number of pods placed before the measurement
 * @param runningKind returns the kind of a running pod by its number
 * @param measured the number of measured pods
 */
record Workload(
    String name,
    int nodes,
    IntFunction<NodeModel> node,
    int running,
    IntFunction<PodKind> runningKind,
    int measured,
    PodKind measuredKind) {

  /** Returns a copy with the numbers of nodes and of running pods multiplied by a factor. */
  Workload times(int factor) {
    return new Workload(
        name + "-" + nodes * factor,
        nodes * factor,
        node,
        running * factor,
        runningKind,
        measured,
        measuredKind);
  }

  /**
   * Runs the workload once on a new engine, from the queue to the assumed pod, with a Binding that
   * always succeeds.
   */
  Measurement run() {
    Cluster cluster = new Cluster();
    for (int i = 0; i < nodes; i++) {
      cluster.addNode(node.apply(i));
    }
    List<PodModel> before = new ArrayList<>();
    for (int i = 0; i < running; i++) {
      before.add(runningKind.apply(i).pod("running-" + i, ""));
    }
    cluster.placeAll(before);
    for (int i = 0; i < measured; i++) {
      cluster.addPod(measuredKind.pod("measured-" + i, ""));
    }
    return cluster.measurePlacing(name, measured);
  }
}
