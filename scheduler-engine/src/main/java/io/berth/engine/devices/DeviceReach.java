package io.berth.engine.devices;

import io.berth.engine.model.NodeModel;
import io.berth.engine.model.NodeTerm;
import java.util.List;

/** The nodes from which a device, or all devices of a slice, can be used. */
public sealed interface DeviceReach {
  /** Returns whether the node is one of them. */
  boolean includes(NodeModel node);

  /** One node. */
  record OneNode(String nodeName) implements DeviceReach {
    @Override
    public boolean includes(NodeModel node) {
      return node.name().equals(nodeName);
    }
  }

  /** All nodes. */
  record AllNodes() implements DeviceReach {
    @Override
    public boolean includes(NodeModel node) {
      return true;
    }
  }

  /** The nodes that any of the terms selects. */
  record SelectedNodes(List<NodeTerm> terms) implements DeviceReach {
    public SelectedNodes {
      terms = List.copyOf(terms);
    }

    @Override
    public boolean includes(NodeModel node) {
      for (NodeTerm term : terms) {
        if (term.matches(node)) {
          return true;
        }
      }
      return false;
    }
  }

  /** None: the object says nothing about nodes. */
  record NoNodes() implements DeviceReach {
    @Override
    public boolean includes(NodeModel node) {
      return false;
    }
  }
}
