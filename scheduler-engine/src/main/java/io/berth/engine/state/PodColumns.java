package io.berth.engine.state;

import io.berth.engine.model.PodModel;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Some pods, usually in ascending order of {@link Importance}. What preemption reads of them is in
 * columns: a preemptor compares hundreds of nodes, and their pods are far apart in memory.
 */
public final class PodColumns {
  private static final int LEAST_ROOM = 8;

  private final ResourceNames resources;
  private int size;
  private @Nullable PodEntry[] pods = {};
  private int[] priorities = {};
  private long[] starts = {};

  /** The held amounts of the resources with fixed columns, one resource after the other. */
  private long[] amounts = {};

  /** The pods of DaemonSets, one bit each. */
  private long[] ofDaemonSets = {};

  /** The number of pods before the first one that does not {@linkplain #goAlone go alone}. */
  private int alone;

  /** The number of pods before the first one that a budget selects, as of that version. */
  private int withoutBudget;

  private long budgetsVersion = -1;
  private boolean stale = true;

  /** Creates columns of no pods. */
  public PodColumns(ResourceNames resources) {
    this.resources = resources;
  }

  /** Returns the number of pods. */
  public int size() {
    return size;
  }

  /** Returns the i-th pod. */
  public PodEntry pod(int i) {
    PodEntry pod = pods[i];
    if (pod == null) {
      throw new IllegalStateException("the pods have changed");
    }
    return pod;
  }

  /** Returns the priority of the i-th pod. */
  public int priority(int i) {
    return priorities[i];
  }

  /** Returns the start of the i-th pod, as {@link PodEntry#startNanos}. */
  public long startNanos(int i) {
    return starts[i];
  }

  /**
   * Returns the amount of a resource that the i-th pod holds.
   *
   * @param column the column of the resource, see {@link ResourceNames}
   */
  public long held(int column, int i) {
    if (column >= 0 && column < ResourceNames.FIXED) {
      return amounts[column * priorities.length + i];
    }
    SharedSpec spec = pod(i).shared;
    spec.locate(resources);
    return spec.held(column);
  }

  /** Returns whether the i-th pod is of a DaemonSet. */
  public boolean isOfDaemonSet(int i) {
    return (ofDaemonSets[i / Long.SIZE] & 1L << i) != 0;
  }

  /** Returns the number of pods of DaemonSets among the first pods. */
  public int ofDaemonSets(int count) {
    int found = 0;
    for (int i = 0; i < count; i++) {
      found += isOfDaemonSet(i) ? 1 : 0;
    }
    return found;
  }

  /**
   * Returns whether each of the first pods can be evicted without others: none is a member of a
   * group, or the mirror pod of a static pod.
   */
  public boolean goAlone(int count) {
    return count <= alone;
  }

  /** Returns whether a budget may count any of the first pods. */
  public boolean mayHaveBudgets(int count, Budgets budgets) {
    if (budgetsVersion != budgets.selectorsVersion()) {
      budgetsVersion = budgets.selectorsVersion();
      withoutBudget = 0;
      while (withoutBudget < size && !budgets.mayCount(pod(withoutBudget).model())) {
        withoutBudget++;
      }
    }
    return count > withoutBudget;
  }

  /** Returns the number of pods of lower priority: if they are in order, the first ones. */
  public int below(int priority) {
    int count = 0;
    while (count < size && priorities[count] < priority) {
      count++;
    }
    return count;
  }

  /** Replaces the pods by those of the others that meet the condition. */
  public void keep(PodColumns others, Predicate<PodEntry> condition) {
    begin(others.size);
    for (int i = 0; i < others.size; i++) {
      if (condition.test(others.pod(i))) {
        pods[size++] = others.pod(i);
      }
    }
    fill();
  }

  /**
   * Replaces the pods, whatever their importance is.
   *
   * @param wanted the pods, the last one first
   */
  public void takeReversed(List<PodEntry> wanted) {
    begin(wanted.size());
    for (int i = wanted.size() - 1; i >= 0; i--) {
      pods[size++] = wanted.get(i);
    }
    fill();
  }

  /** Returns whether the pods must be read again. */
  boolean isStale() {
    return stale;
  }

  /** Drops the pods, which must be read again. */
  void forget() {
    if (!stale) {
      stale = true;
      begin(0);
    }
  }

  /** Replaces the pods by all pods of a node. */
  void read(NodeTable nodes, int slot) {
    int count = nodes.podCount(slot);
    begin(count);
    for (int i = 0; i < count; i++) {
      pods[i] = nodes.pod(slot, i);
    }
    size = count;
    // Sorted in the opposite order first, so that pods that are equal are in that order too.
    Arrays.sort(pods, 0, size, Importance.SPARED_FIRST);
    for (int i = 0, j = size - 1; i < j; i++, j--) {
      PodEntry most = pods[i];
      pods[i] = pods[j];
      pods[j] = most;
    }
    fill();
  }

  private void begin(int most) {
    Arrays.fill(pods, 0, size, null);
    size = 0;
    if (most > pods.length) {
      int room = Math.max(LEAST_ROOM, most + most / 4);
      pods = new PodEntry[room];
      priorities = new int[room];
      starts = new long[room];
      amounts = new long[room * ResourceNames.FIXED];
      ofDaemonSets = new long[room / Long.SIZE + 1];
    }
  }

  private void fill() {
    stale = false;
    budgetsVersion = -1;
    alone = 0;
    Arrays.fill(ofDaemonSets, 0);
    Arrays.fill(amounts, 0);
    for (int i = 0; i < size; i++) {
      PodEntry pod = pod(i);
      PodModel model = pod.model();
      alone += alone == i && model.group().isEmpty() && !model.mirror() ? 1 : 0;
      ofDaemonSets[i / Long.SIZE] |= model.isOfDaemonSet() ? 1L << i : 0;
      priorities[i] = pod.priority();
      starts[i] = pod.startNanos();
      pod.shared.locate(resources);
      int[] columns = pod.shared.heldColumns();
      long[] held = pod.shared.heldAmounts();
      for (int j = 0; j < columns.length; j++) {
        if (columns[j] < ResourceNames.FIXED) {
          amounts[columns[j] * priorities.length + i] = held[j];
        }
      }
    }
  }
}
