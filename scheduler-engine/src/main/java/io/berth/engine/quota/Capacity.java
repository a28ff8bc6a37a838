package io.berth.engine.quota;

import io.berth.engine.model.NodeModel;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.PodEntry;
import java.util.Arrays;
import java.util.function.Predicate;

/**
 * The amounts that all queues share: the resources of schedulable nodes, less what pods use there
 * that belong to no queue. Determined again when it is read after a change of a node or of such a
 * pod.
 */
final class Capacity {
  private final NodeTable nodes;
  private final CountedResources resources;
  private final Predicate<PodEntry> isOutside;
  private final long[] amounts;
  private final long[] nothing;
  private boolean isStale = true;

  /**
   * @param isOutside returns whether a pod belongs to no queue
   */
  Capacity(NodeTable nodes, CountedResources resources, Predicate<PodEntry> isOutside) {
    this.nodes = nodes;
    this.resources = resources;
    this.isOutside = isOutside;
    this.amounts = new long[resources.size()];
    this.nothing = new long[resources.size()];
  }

  void becomeStale() {
    isStale = true;
  }

  /** Returns amounts of zero. */
  long[] nothing() {
    return nothing;
  }

  /** Returns the amounts, which may be zero or negative. */
  long[] amounts() {
    if (isStale) {
      Arrays.fill(amounts, 0);
      nodes.alive().forEach(this::add);
      isStale = false;
    }
    return amounts;
  }

  private void add(int slot) {
    NodeModel node = nodes.model(slot);
    if (node.unschedulable()) {
      return;
    }
    Amounts.add(amounts, resources.amounts(node.allocatable()));
    for (int i = 0; i < nodes.podCount(slot); i++) {
      PodEntry pod = nodes.pod(slot, i);
      if (isOutside.test(pod)) {
        Amounts.subtract(amounts, resources.ofPod(pod.spec().requests().held()));
      }
    }
  }
}
