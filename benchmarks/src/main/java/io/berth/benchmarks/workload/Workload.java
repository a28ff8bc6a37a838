package io.berth.benchmarks.workload;

import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Pods of one kind started on a cluster where others run: scheduler_perf's workloads.
 *
 * @param nodes how many nodes
 * @param node makes the node of a number
 * @param running how many pods are placed before the measurement
 * @param runningKind makes the kind of the running pod of a number
 * @param measured how many pods are measured
 */
record Workload(
    String name,
    int nodes,
    IntFunction<NodeModel> node,
    int running,
    IntFunction<PodKind> runningKind,
    int measured,
    PodKind measuredKind) {

  /** The same on another number of nodes, with as many more pods running. */
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

  /** One run on a new engine, from queue to assumed, with a Binding that always succeeds. */
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
