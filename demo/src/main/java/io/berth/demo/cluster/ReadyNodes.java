package io.berth.demo.cluster;

import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.NodeStatusBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Map;

/** Nodes whose kubelet says that they are ready. */
public final class ReadyNodes {
  private ReadyNodes() {}

  /**
   * Returns the status of one.
   *
   * @param size what it holds, and what of it is allocatable: by resource, {@code pods} among them
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
