package io.berth.demo.autoscaler;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Taint;
import java.util.List;

/** The cluster that an {@link Autoscaler} works on. */
public interface AutoscaledCluster {
  /** Returns all nodes. */
  List<Node> nodes();

  /** Returns all pods. */
  List<Pod> pods();

  /**
   * Adds a node.
   *
   * @param node the node, with the status that it has once it is ready
   * @param reports whether its kubelet reports that it is ready
   */
  void join(Node node, boolean reports);

  /** Lets the kubelet of a node report that it is ready. */
  void report(String nodeName);

  /** Adds a taint to a node that exists. */
  void taint(String nodeName, Taint taint);

  /** Removes the taint with this key from a node that exists. */
  void untaint(String nodeName, String key);

  /** Evicts a pod; it stays if a disruption budget protects it. */
  void evict(Pod pod);

  /** Removes a node. */
  void remove(String nodeName);
}
