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
  private final long[][] largest = new long[ResourceNames.FIXED][0];
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
   * Returns the largest amount of a resource that a pod on the node holds.
   *
   * @param column the column of the resource, see {@link ResourceNames}
   * @return the maximum value if it is not known for this resource
   */
  public long largest(int column, int slot) {
    if (column < 0 || column >= ResourceNames.FIXED) {
      return Long.MAX_VALUE;
    }
    refresh(slot);
    return largest[column][slot];
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
    for (int column = 0; column < largest.length; column++) {
      largest[column] = Arrays.copyOf(largest[column], capacity);
    }
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
    for (long[] column : largest) {
      column[slot] = 0;
    }
    for (int i = 0; i < nodes.podCount(slot); i++) {
      include(slot, nodes.pod(slot, i));
    }
  }

  private void include(int slot, PodEntry pod) {
    if (pod.priority() < priority[slot]) {
      priority[slot] = pod.priority();
      latestStart[slot] = pod.startNanos();
    } else if (pod.priority() == priority[slot]) {
      latestStart[slot] = Math.max(latestStart[slot], pod.startNanos());
    }
    int[] columns = pod.shared.heldColumns();
    long[] amounts = pod.shared.heldAmounts();
    for (int i = 0; i < columns.length; i++) {
      if (columns[i] < largest.length) {
        long[] column = largest[columns[i]];
        column[slot] = Math.max(column[slot], amounts[i]);
      }
    }
  }
}
