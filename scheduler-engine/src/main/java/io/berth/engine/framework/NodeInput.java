package io.berth.engine.framework;

import io.berth.engine.state.ChangeLog;
import io.berth.engine.state.NodeTable;
import java.util.Set;

/**
 * A part of a node that a {@link SimplePlugin} reads. The plugin is called again when that part
 * changes.
 */
public enum NodeInput {
  /** The node's labels. */
  LABELS,
  /** The node's taints, and whether it is cordoned. */
  TAINTS,
  /** The images on the node. */
  IMAGES,
  /** The features that the node's kubelet declares. */
  FEATURES,
  /** The node's allocatable resources. */
  ALLOCATABLE,
  /** The pods on the node, and the resources that they use there. */
  PODS;

  /**
   * Returns the change logs of the inputs; only the log of added and removed nodes if there are no
   * inputs.
   */
  static ChangeLog[] logsOf(Set<NodeInput> inputs, NodeTable nodes) {
    return inputs.isEmpty()
        ? new ChangeLog[] {nodes.membershipLog()}
        : inputs.stream().map(input -> input.log(nodes)).distinct().toArray(ChangeLog[]::new);
  }

  private ChangeLog log(NodeTable nodes) {
    return switch (this) {
      case LABELS -> nodes.labelLog();
      case TAINTS -> nodes.taintLog();
      case IMAGES -> nodes.imageLog();
      case FEATURES -> nodes.featureLog();
      case ALLOCATABLE, PODS -> nodes.capacityLog();
    };
  }
}
