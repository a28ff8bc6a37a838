package io.berth.engine.preemption;

import io.berth.engine.state.PodEntry;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;

/** Which of two pods is spared first: that of higher priority, then the one that runs longer. */
final class Importance {
  private static final long NANOS_PER_SECOND = 1_000_000_000L;
  private static final long LAST_SECOND = Long.MAX_VALUE / NANOS_PER_SECOND - 1;

  /** The more important first. Pods that are equally important are told apart by UID. */
  static final Comparator<PodEntry> MOST_IMPORTANT_FIRST =
      (a, b) -> {
        int byPriority = Integer.compare(b.priority(), a.priority());
        if (byPriority != 0) {
          return byPriority;
        }
        int byStart = Long.compare(startOf(a), startOf(b));
        return byStart != 0 ? byStart : a.ref().uid().compareTo(b.ref().uid());
      };

  private Importance() {}

  /**
   * When the pod started, in nanoseconds since 1970; a pod that has not counts as starting after
   * all others.
   */
  static long startOf(PodEntry pod) {
    Optional<Instant> started = pod.model().startedAt();
    if (started.isEmpty()) {
      return Long.MAX_VALUE;
    }
    Instant start = started.get();
    long seconds = start.getEpochSecond();
    int nanos = start.getNano();
    return Math.abs(seconds) > LAST_SECOND ? Long.MAX_VALUE : seconds * NANOS_PER_SECOND + nanos;
  }
}
