package io.berth.engine.preemption;

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
   * The order in which units are spared: by higher priority; among equal priorities, pods above
   * their group's minimum last; then by longer run time.
   */
  static final Comparator<VictimUnit> SPARED_FIRST =
      Comparator.comparingInt((VictimUnit unit) -> unit.first().priority())
          .reversed()
          .thenComparing(VictimUnit::surplus)
          .thenComparing(VictimUnit::first, Importance.SPARED_FIRST);

  PodEntry first() {
    return pods.getFirst();
  }
}
