package io.berth.demo.autoscaler;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Properties of nodes that autoscalers read. */
final class AutoscalerNodes {
  private static final String HOSTNAME = "kubernetes.io/hostname";

  private AutoscalerNodes() {}

  /** Returns the same node with another name. */
  static Node renamed(Node node, String name) {
    return new NodeBuilder(node)
        .editMetadata()
        .withName(name)
        .addToLabels(HOSTNAME, name)
        .endMetadata()
        .build();
  }

  static boolean hasTaint(Node node, String key) {
    return node.getSpec().getTaints().stream().anyMatch(taint -> taint.getKey().equals(key));
  }

  /** Returns the largest share of CPU or memory that the pods request of the node. */
  static double utilization(Node node, List<Pod> pods) {
    return Math.max(share(node, pods, "cpu"), share(node, pods, "memory"));
  }

  private static double share(Node node, List<Pod> pods, String resource) {
    Quantity offered = node.getStatus().getAllocatable().get(resource);
    if (offered == null || offered.getNumericalAmount().signum() <= 0) {
      return 1;
    }
    return pods.stream()
            .flatMap(pod -> pod.getSpec().getContainers().stream())
            .map(container -> requested(container.getResources(), resource))
            .reduce(BigDecimal.ZERO, BigDecimal::add)
            .doubleValue()
        / offered.getNumericalAmount().doubleValue();
  }

  private static BigDecimal requested(@Nullable ResourceRequirements resources, String resource) {
    if (resources == null
        || resources.getRequests() == null
        || resources.getRequests().get(resource) == null) {
      return BigDecimal.ZERO;
    }
    return resources.getRequests().get(resource).getNumericalAmount();
  }
}
