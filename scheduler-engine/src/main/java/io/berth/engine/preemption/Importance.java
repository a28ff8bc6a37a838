package io.berth.engine.preemption;

import io.berth.engine.state.PodEntry;
import java.time.Instant;
import java.util.Comparator;

/** Which of two pods is spared first: that of higher priority, then the one that runs longer. */
final class Importance {
  /** The more important first. Pods that came alike are told apart by UID. */
  static final Comparator<PodEntry> MOST_IMPORTANT_FIRST =
      Comparator.comparingInt(PodEntry::priority)
          .reversed()
          .thenComparing(Importance::startOf)
          .thenComparing(pod -> pod.ref().uid());

  private Importance() {}

  /** When the pod started; a pod that has not counts as starting after all others. */
  static Instant startOf(PodEntry pod) {
    return pod.model().startedAt().orElse(Instant.MAX);
  }
}
