package io.berth.engine.plugins;

import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.PodEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The resources of a node that pods of some priority and above leave free. Pods of lower priority
 * may be evicted; if a pod does not fit without them, the departure of one of them makes no
 * difference to it.
 *
 * @param lower the requests of the pods of lower priority
 */
record RoomWithoutLower(ClusterState state, int slot, List<ResourceAmounts> lower) {

  /** Returns the free resources of a node; empty if the node does not exist. */
  static Optional<RoomWithoutLower> on(String nodeName, int priority, ClusterState state) {
    NodeTable nodes = state.nodes();
    int slot = nodes.slotOf(nodeName);
    if (slot < 0) {
      return Optional.empty();
    }
    List<ResourceAmounts> lower = new ArrayList<>();
    if (state.evictionOrder().mightDisplaceAny(priority)) {
      for (int i = 0; i < nodes.podCount(slot); i++) {
        PodEntry pod = nodes.pod(slot, i);
        if (state.evictionOrder().mightDisplace(pod, priority)) {
          lower.add(pod.spec().requests().held());
        }
      }
    }
    return Optional.of(new RoomWithoutLower(state, slot, lower));
  }

  /** Returns the free amount of a resource; negative if the node is overcommitted. */
  long free(String resource) {
    NodeTable nodes = state.nodes();
    int column = state.resources().idOf(resource);
    long free = nodes.allocatable(column, slot) - nodes.requested(column, slot);
    for (ResourceAmounts held : lower) {
      free += held.amountOf(resource);
    }
    return free;
  }

  /** Returns whether a pod with these requests fits. */
  boolean fits(ResourceAmounts asked) {
    NodeTable nodes = state.nodes();
    if (nodes.podCount(slot) - lower.size() + 1 > nodes.maxPods(slot)) {
      return false;
    }
    for (int i = 0; i < asked.size(); i++) {
      if (asked.amount(i) > 0 && asked.amount(i) > free(asked.name(i))) {
        return false;
      }
    }
    return true;
  }
}
