package io.berth.engine.framework;

import io.berth.engine.state.ChangeLog;
import io.berth.engine.state.NodeTable;
import java.util.Set;

/**
 * A part of a node that a {@link SimplePlugin} reads. The plugin is called again when it changes.
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
  /** The amounts that pods may request of the node. */
  ALLOCATABLE,
  /** The pods on the node, and what they use there. */
  PODS;

  /** The logs of the inputs; of nodes that come and go where there are none. */
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
