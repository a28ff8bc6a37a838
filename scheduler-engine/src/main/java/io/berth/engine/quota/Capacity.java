package io.berth.engine.quota;

import io.berth.engine.model.Card;
import io.berth.engine.model.NodeModel;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.PodEntry;
import java.util.Arrays;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The amounts that all queues share: the resources of schedulable nodes, less what pods use there
 * that belong to no queue. Determined again when it is read after a change of a node or of such a
 * pod.
 */
final class Capacity {
  /**
   * The amount of devices of claims: how many of them a class selects is not counted, so they are
   * no part of shares.
   */
  static final long UNKNOWN = Long.MIN_VALUE;

  private final NodeTable nodes;
  private final CountedResources resources;
  private final Predicate<PodEntry> isOutside;
  private final Function<PodEntry, long[]> amountsOf;
  private final long[] amounts;
  private final long[] nothing;
  private boolean isStale = true;

  /**
   * @param isOutside returns whether a pod belongs to no queue
   * @param amountsOf returns what a pod uses
   */
  Capacity(
      NodeTable nodes,
      CountedResources resources,
      Predicate<PodEntry> isOutside,
      Function<PodEntry, long[]> amountsOf) {
    this.nodes = nodes;
    this.resources = resources;
    this.isOutside = isOutside;
    this.amountsOf = amountsOf;
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

  /** Returns the amounts, which may be zero, negative, or {@link #UNKNOWN}. */
  long[] amounts() {
    if (isStale) {
      Arrays.fill(amounts, 0);
      nodes.alive().forEach(this::add);
      for (int i = 0; i < amounts.length; i++) {
        amounts[i] = resources.deviceClass(i).isEmpty() ? amounts[i] : UNKNOWN;
      }
      isStale = false;
    }
    return amounts;
  }

  private static long milliGpu(NodeModel node) {
    return node.cards().cards().isEmpty()
        ? CountedResources.milliGpu(node.allocatable())
        : node.cards().cards().stream().filter(Card::healthy).mapToLong(Card::milliCores).sum();
  }

  private void add(int slot) {
    NodeModel node = nodes.model(slot);
    if (node.unschedulable()) {
      return;
    }
    AmountVectors.add(amounts, resources.amounts(node.allocatable()));
    int cards = resources.cards();
    if (cards >= 0) {
      amounts[cards] += milliGpu(node);
    }
    for (int i = 0; i < nodes.podCount(slot); i++) {
      PodEntry pod = nodes.pod(slot, i);
      if (isOutside.test(pod)) {
        AmountVectors.subtract(amounts, amountsOf.apply(pod));
      }
    }
  }
}
