package io.berth.engine.state;

import java.util.Comparator;

/** The order in which pods are spared: by higher priority, then by longer run time. */
public final class Importance {
  /** Higher importance first; equally important pods are equal. */
  public static final Comparator<PodEntry> MORE_IMPORTANT_FIRST =
      (a, b) -> {
        int byPriority = Integer.compare(b.priority(), a.priority());
        return byPriority != 0 ? byPriority : Long.compare(a.startNanos(), b.startNanos());
      };

  /**
   * Higher importance first; of equally important pods, the one that was placed first, or among
   * pods that have not started the one that was placed last.
   */
  public static final Comparator<PodEntry> SPARED_FIRST =
      MORE_IMPORTANT_FIRST.thenComparing(
          (a, b) ->
              a.startNanos() == PodEntry.NOT_STARTED
                  ? Long.compare(b.arrival(), a.arrival())
                  : Long.compare(a.arrival(), b.arrival()));

  private Importance() {}
}
