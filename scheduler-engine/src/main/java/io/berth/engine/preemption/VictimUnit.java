package io.berth.engine.preemption;

import io.berth.engine.state.Importance;
import io.berth.engine.state.PodEntry;
import java.util.Comparator;
import java.util.List;

/**
 * Pods that are evicted together or not at all: a pod, or all pods of a group that is disrupted as
 * a whole.
 *
 * @param pods the pods, in descending order of importance
 * @param surplus whether the group of the pod has its minimum without it
 */
record VictimUnit(List<PodEntry> pods, boolean surplus) {
  /**
   * Returns the order in which units are spared: by higher priority; among equal priorities, pods
   * above their group's minimum last; then as their most important pods. If the order of pods is
   * not that of importance alone, what comes before importance counts first.
   *
   * @param order the order in which single pods are spared
   */
  static Comparator<VictimUnit> sparedFirst(Comparator<PodEntry> order) {
    Comparator<VictimUnit> importance =
        Comparator.comparingInt((VictimUnit unit) -> unit.first().priority())
            .reversed()
            .thenComparing(VictimUnit::surplus)
            .thenComparing(VictimUnit::first, Importance.SPARED_FIRST);
    return order.equals(Importance.SPARED_FIRST)
        ? importance
        : Comparator.comparing(VictimUnit::first, order).thenComparing(importance);
  }

  PodEntry first() {
    return pods.getFirst();
  }
}
