package io.berth.engine.preemption;

import io.berth.engine.state.PodEntry;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;

/** The order in which pods are spared: by higher priority, then by longer run time. */
final class Importance {
  private static final long NANOS_PER_SECOND = 1_000_000_000L;
  private static final long LAST_SECOND = Long.MAX_VALUE / NANOS_PER_SECOND - 1;
  private static final long NOT_STARTED = Long.MAX_VALUE;

  /** Higher importance first; equally important pods are equal. */
  static final Comparator<PodEntry> MORE_IMPORTANT_FIRST =
      (a, b) -> {
        int byPriority = Integer.compare(b.priority(), a.priority());
        return byPriority != 0 ? byPriority : Long.compare(startOf(a), startOf(b));
      };

  /**
   * Higher importance first; of equally important pods, the one that was placed first, or among
   * pods that have not started the one that was placed last.
   */
  static final Comparator<PodEntry> SPARED_FIRST =
      MORE_IMPORTANT_FIRST.thenComparing(
          (a, b) ->
              startOf(a) == NOT_STARTED
                  ? Long.compare(b.arrival(), a.arrival())
                  : Long.compare(a.arrival(), b.arrival()));

  private Importance() {}

  /**
   * Returns the start of the pod in nanoseconds since 1970; a pod that has not started counts as
   * the last one.
   */
  static long startOf(PodEntry pod) {
    Optional<Instant> started = pod.model().startedAt();
    if (started.isEmpty()) {
      return NOT_STARTED;
    }
    Instant start = started.get();
    long seconds = start.getEpochSecond();
    int nanos = start.getNano();
    return Math.abs(seconds) > LAST_SECOND ? NOT_STARTED : seconds * NANOS_PER_SECOND + nanos;
  }
}
