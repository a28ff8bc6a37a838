package io.berth.demo.autoscaler;

import io.berth.demo.cluster.ReadyNodes;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Equal nodes that can be bought: a node group of the Cluster Autoscaler, or an instance type of
 * Karpenter.
 *
 * @param size capacity and allocatable by resource name, including {@code pods}
 * @param labels the labels of its nodes, besides their hostname
 * @param maximum the maximum number of its nodes
 * @param delay the time from the request for a node until it joins the cluster
 * @param first what comes for the first requests; the other nodes come as offered
 */
public record NodeGroup(
    String name,
    Map<String, Quantity> size,
    Map<String, String> labels,
    int maximum,
    Duration delay,
    List<Delivery> first) {
  /** The label with the name of the group, of nodes that were bought. */
  public static final String LABEL = "autoscaler.berth.io/group";

  private static final String HOSTNAME = "kubernetes.io/hostname";

  public NodeGroup {
    size = Map.copyOf(size);
    labels = Map.copyOf(labels);
    first = List.copyOf(first);
  }

  /** Returns what comes for the request of this number, which counts from 0. */
  Delivery delivery(int request) {
    return request < first.size() ? first.get(request) : Delivery.AS_OFFERED;
  }

  /** Returns a node as offered. */
  Node offered(String nodeName) {
    return node(nodeName, size, labels);
  }

  /** Returns the node that comes. */
  Node delivered(String nodeName, Delivery delivery) {
    return delivery instanceof Delivery.Different(var otherSize, var otherLabels)
        ? node(nodeName, otherSize, otherLabels)
        : offered(nodeName);
  }

  /** Returns a node like one of the group, without pods and taints of autoscalers. */
  Node like(Node one, String nodeName, Rules rules) {
    return new NodeBuilder(one)
        .withNewMetadata()
        .withName(nodeName)
        .withLabels(one.getMetadata().getLabels())
        .addToLabels(HOSTNAME, nodeName)
        .endMetadata()
        .editSpec()
        .removeMatchingFromTaints(taint -> rules.isOwnTaint(taint.getKey()))
        .endSpec()
        .build();
  }

  /** Returns whether the node was bought for this group. */
  boolean owns(Node node) {
    return node.getMetadata().getLabels() != null
        && name.equals(node.getMetadata().getLabels().get(LABEL));
  }

  private Node node(
      String nodeName, Map<String, Quantity> nodeSize, Map<String, String> nodeLabels) {
    return new NodeBuilder()
        .withNewMetadata()
        .withName(nodeName)
        .withLabels(nodeLabels)
        .addToLabels(HOSTNAME, nodeName)
        .addToLabels(LABEL, name)
        .endMetadata()
        .withNewSpec()
        .endSpec()
        .withStatus(ReadyNodes.status(nodeSize))
        .build();
  }
}
