package io.berth.demo.autoscaler;

import io.berth.demo.cluster.ReadyNodes;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.util.Map;

/**
 * Equal nodes that can be bought: a node group of the Cluster Autoscaler, or an instance type of
 * Karpenter.
 *
 * @param size capacity and allocatable by resource name, including {@code pods}
 * @param labels the labels of its nodes, besides their hostname
 * @param maximum the maximum number of its nodes
 * @param delay the time from the request for a node until it joins the cluster
 * @param lost the number of requests, from the first on, after which no node comes
 */
public record NodeGroup(
    String name,
    Map<String, Quantity> size,
    Map<String, String> labels,
    int maximum,
    Duration delay,
    int lost) {
  /** The label with the name of the group, of nodes that were bought. */
  public static final String LABEL = "autoscaler.berth.io/group";

  private static final String HOSTNAME = "kubernetes.io/hostname";

  public NodeGroup {
    size = Map.copyOf(size);
    labels = Map.copyOf(labels);
  }

  /** Returns a node as it would be. */
  Node template(String nodeName) {
    return new NodeBuilder()
        .withNewMetadata()
        .withName(nodeName)
        .withLabels(labels)
        .addToLabels(HOSTNAME, nodeName)
        .addToLabels(LABEL, name)
        .endMetadata()
        .withNewSpec()
        .endSpec()
        .withStatus(ReadyNodes.status(size))
        .build();
  }
}
