package io.berth.engine.quota;

import io.berth.engine.state.PodEntry;
import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * The resources that one pod uses, as they are counted in its queue.
 *
 * <p>The order is that in which guarantees cover pods: by higher priority, then by earlier start,
 * then by earlier creation.
 */
final class PodShare implements Comparable<PodShare> {
  private static final Comparator<PodShare> ORDER =
      Comparator.comparingInt((PodShare share) -> share.priority)
          .reversed()
          .thenComparingLong(share -> share.start)
          .thenComparing(share -> share.pod.model().createdAt())
          .thenComparing(share -> share.pod.key());

  final PodEntry pod;

  /** Its queue; null if it belongs to none. */
  final @Nullable QueueNode leaf;

  final long[] amounts;

  /** True if it counts as use; a pod that leaves counts against limits alone. */
  final boolean counts;

  final int priority;
  private final long start;

  /**
   * The depth of the deepest queue whose guarantee covers it; 0 if none does. The guarantees of all
   * queues above that one cover it too.
   */
  int coveredAt;

  PodShare(PodEntry pod, @Nullable QueueNode leaf, long[] amounts, boolean counts) {
    this.pod = pod;
    this.leaf = leaf;
    this.amounts = amounts;
    this.counts = counts;
    this.priority = pod.priority();
    this.start = pod.startNanos();
  }

  /** Returns whether this describes the pod as it is. */
  boolean isCurrent(@Nullable QueueNode queue, long[] requested, boolean used) {
    return leaf == queue
        && counts == used
        && priority == pod.priority()
        && start == pod.startNanos()
        && Arrays.equals(amounts, requested);
  }

  @Override
  public int compareTo(PodShare other) {
    return this == other ? 0 : ORDER.compare(this, other);
  }
}
