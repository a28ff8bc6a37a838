package io.berth.demo.cluster;

import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.NodeStatusBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Map;

/** Status of nodes that are reported as ready. */
public final class ReadyNodes {
  private ReadyNodes() {}

  /**
   * Returns the status of a ready node.
   *
   * @param size capacity and allocatable by resource name, including {@code pods}
   */
  public static NodeStatus status(Map<String, Quantity> size) {
    return new NodeStatusBuilder()
        .withCapacity(size)
        .withAllocatable(size)
        .addNewCondition()
        .withType("Ready")
        .withStatus("True")
        .withReason("KubeletReady")
        .endCondition()
        .build();
  }
}
