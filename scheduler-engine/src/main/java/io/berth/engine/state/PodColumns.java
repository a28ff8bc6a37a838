package io.berth.engine.state;

import io.berth.engine.model.PodModel;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Some pods in ascending order of {@link Importance}. What preemption reads of them is in columns:
 * a preemptor compares hundreds of nodes, and to visit their pods would take most of its time.
 */
public final class PodColumns {
  private static final int LEAST_ROOM = 8;

  private static final Comparator<PodEntry> LEAST_IMPORTANT_FIRST =
      Importance.SPARED_FIRST.reversed();

  private int size;
  private @Nullable PodEntry[] pods = {};
  private int[] priorities = {};
  private long[] starts = {};

  /** The held amounts of the resources with fixed columns, one resource after the other. */
  private long[] amounts = {};

  /** The number of pods before the first one that is not plain. */
  private int plain;

  /** The number of pods before the first one that a budget selects, as of that version. */
  private int withoutBudget;

  private long budgetsVersion = -1;
  private boolean stale = true;

  /** Returns the number of pods. */
  public int size() {
    return size;
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
    return column >= 0 && column < ResourceNames.FIXED
        ? amounts[column * priorities.length + i]
        : pod(i).shared.held(column);
  }

  /** Returns the number of pods whose priority is lower: these are the first ones. */
  public int below(int priority) {
    int count = 0;
    while (count < size && priorities[count] < priority) {
      count++;
    }
    return count;
  }

  /**
   * Returns whether each of the first pods can be evicted alone: none is a member of a group, or
   * the mirror pod of a static pod.
   */
  public boolean arePlain(int count) {
    return count <= plain;
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

  /** Returns the i-th pod. */
  public PodEntry pod(int i) {
    PodEntry pod = pods[i];
    if (pod == null) {
      throw new IllegalStateException("the pods have changed");
    }
    return pod;
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
   * Replaces the pods.
   *
   * @param wanted the pods in the opposite order
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
    Arrays.sort(pods, 0, size, LEAST_IMPORTANT_FIRST);
    fill();
  }

  private static boolean isPlain(PodModel pod) {
    return pod.group().isEmpty() && !pod.mirror() && !pod.isOfDaemonSet();
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
    }
  }

  private void fill() {
    stale = false;
    budgetsVersion = -1;
    plain = 0;
    Arrays.fill(amounts, 0);
    for (int i = 0; i < size; i++) {
      PodEntry pod = pod(i);
      plain += plain == i && isPlain(pod.model()) ? 1 : 0;
      priorities[i] = pod.priority();
      starts[i] = pod.startNanos();
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
