package io.berth.engine.state;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The least important pods of each node, and the largest amounts that single pods hold there:
 * bounds of what evictions on the node cost at least, for any preemptor, without a look at the
 * pods.
 *
 * <p>A pod that is placed is added at once, while its data is at hand. A node that a pod has left
 * is read again when it is asked about. The pods in {@linkplain #inOrder order} are read when a
 * preemptor compares the node closely for the first time since a change.
 */
public final class LeastImportantPods {
  private final NodeTable nodes;
  private final NodeSet stale = new NodeSet();
  private int[] priority = {};
  private long[] latestStart = {};

  /** The lowest priority but one. */
  private int[] nextPriority = {};

  private final LargestAmounts ofAll = new LargestAmounts();
  private final LargestAmounts ofLowest = new LargestAmounts();

  private @Nullable PodColumns[] inOrder = {};

  LeastImportantPods(NodeTable nodes) {
    this.nodes = nodes;
  }

  /** Returns the lowest priority of the pods on the node; the maximum value if there are none. */
  public int priority(int slot) {
    refresh(slot);
    return priority[slot];
  }

  /**
   * Returns the latest start among the pods with the lowest priority, as {@link
   * PodEntry#startNanos}.
   */
  public long latestStart(int slot) {
    refresh(slot);
    return latestStart[slot];
  }

  /**
   * Returns a lower bound of the number of pods on the node that hold an amount together.
   *
   * @param column the column of the resource, see {@link ResourceNames}
   * @param amount positive
   * @param below the priority below which pods count
   * @return at least 1; the maximum value if it is known that these pods hold less
   */
  public long fewestThatHold(int column, long amount, int below, int slot) {
    if (column < 0 || column >= ResourceNames.FIXED) {
      return 1;
    }
    refresh(slot);
    LargestAmounts counted = nextPriority[slot] < below ? ofAll : ofLowest;
    return counted.fewestThatHold(column, amount, slot);
  }

  /** Returns the pods of the node, the least important first; to be read before any changes. */
  public PodColumns inOrder(int slot) {
    PodColumns pods = inOrder[slot];
    if (pods == null) {
      pods = new PodColumns(nodes.resources());
      inOrder[slot] = pods;
    }
    if (pods.isStale()) {
      pods.read(nodes, slot);
    }
    return pods;
  }

  void grow(int capacity) {
    int before = priority.length;
    priority = Arrays.copyOf(priority, capacity);
    Arrays.fill(priority, before, capacity, Integer.MAX_VALUE);
    latestStart = Arrays.copyOf(latestStart, capacity);
    nextPriority = Arrays.copyOf(nextPriority, capacity);
    Arrays.fill(nextPriority, before, capacity, Integer.MAX_VALUE);
    ofAll.grow(capacity);
    ofLowest.grow(capacity);
    inOrder = Arrays.copyOf(inOrder, capacity);
    stale.grow(capacity);
  }

  void placed(int slot, PodEntry pod) {
    forgetOrder(slot);
    if (!stale.contains(slot)) {
      include(slot, pod);
    }
  }

  /** Handles a pod that has left the node, or has changed on it. */
  void changed(int slot) {
    forgetOrder(slot);
    stale.add(slot);
  }

  private void forgetOrder(int slot) {
    PodColumns pods = inOrder[slot];
    if (pods != null) {
      pods.forget();
      if (nodes.podCount(slot) == 0) {
        inOrder[slot] = null;
      }
    }
  }

  private void refresh(int slot) {
    if (!stale.contains(slot)) {
      return;
    }
    stale.remove(slot);
    priority[slot] = Integer.MAX_VALUE;
    nextPriority[slot] = Integer.MAX_VALUE;
    ofAll.clear(slot);
    ofLowest.clear(slot);
    for (int i = 0; i < nodes.podCount(slot); i++) {
      include(slot, nodes.pod(slot, i));
    }
  }

  private void include(int slot, PodEntry pod) {
    int of = pod.priority();
    if (of < priority[slot]) {
      nextPriority[slot] = priority[slot];
      priority[slot] = of;
      latestStart[slot] = pod.startNanos();
      ofLowest.clear(slot);
    } else if (of == priority[slot]) {
      latestStart[slot] = Math.max(latestStart[slot], pod.startNanos());
    } else {
      nextPriority[slot] = Math.min(nextPriority[slot], of);
    }
    ofAll.include(slot, pod);
    if (of == priority[slot]) {
      ofLowest.include(slot, pod);
    }
  }
}
