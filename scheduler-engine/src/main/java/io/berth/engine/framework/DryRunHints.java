package io.berth.engine.framework;

import io.berth.engine.state.NodeSet;
import io.berth.engine.state.PodColumns;
import io.berth.engine.state.PodEntry;

/**
 * Hints of a filter about its verdicts in dry runs, in which pods leave a node or are placed on it.
 * With it, preemption tries fewer nodes, and results of dry runs are remembered for longer. A
 * filter without hints is correct: each method has a result that is always true.
 *
 * <ul>
 *   <li>A node is <em>settled</em> if the verdict on it stays the same regardless of which pods
 *       leave it. Such a filter is not part of dry runs on the node.
 *   <li>An <em>outside count</em> is a number of pods on other nodes that affects the verdict, such
 *       as the matching pods in the node's zone. The filter compares it with limits through {@link
 *       StableRanges}, so the result of a dry run holds until a count leaves its range. These
 *       counts, the node's columns, and its pods determine the verdict, unless {@link #maySettle}.
 *   <li>A <em>trial</em> replaces dry runs on nodes on which no other filter's verdict depends on
 *       the pods.
 *   <li>{@link #fewestToLeave(int, PodColumns, int)} is a bound that excludes nodes before they are
 *       tried.
 * </ul>
 */
public interface DryRunHints {
  /** The hints of a filter whose verdicts depend on nothing but the node and its pods. */
  DryRunHints NONE = new DryRunHints() {};

  /** The hints of a filter whose verdicts depend on no pods. */
  DryRunHints SETTLED_EVERYWHERE =
      new DryRunHints() {
        @Override
        public boolean maySettle() {
          return true;
        }

        @Override
        public boolean isSettled(int slot) {
          return true;
        }

        @Override
        public boolean mayDependOnPodsOf(int slot) {
          return false;
        }

        @Override
        public NodeSet mayBeUnsettled() {
          return NodeFilter.NO_NODES;
        }
      };

  /** Returns whether there can be settled nodes. */
  default boolean maySettle() {
    return false;
  }

  /** Returns whether a node is settled, as of the last refresh; asked if {@link #maySettle}. */
  default boolean isSettled(int slot) {
    return false;
  }

  /**
   * Returns nodes that include all that are not settled; callers must not modify it. Asked if
   * {@link #maySettle}.
   */
  default NodeSet mayBeUnsettled() {
    throw new IllegalStateException("no node is settled");
  }

  /** Returns the number of outside counts. */
  default int outsideCounts() {
    return 0;
  }

  /** Returns a version that changes when the outside counts get a different meaning. */
  default long outsideCountsVersion() {
    return 0;
  }

  /**
   * Returns one of the outside counts for a node, as of the last {@link NodeFilter#refreshInputs}.
   */
  default long outsideCount(int number, int slot) {
    throw new IllegalArgumentException("no outside count " + number);
  }

  /**
   * Returns whether a placed pod contributes to an outside count of its node. As long as none of
   * the pods that leave a node does, the verdict on the node stays the same.
   */
  default boolean countsOutside(PodEntry pod) {
    return outsideCounts() > 0;
  }

  /**
   * Returns whether the verdict on the node may change as pods leave it, as of the last {@link
   * NodeFilter#refreshInputs}; true if in doubt. It cannot if none of them contributes to an
   * outside count, and nothing else of them is read.
   */
  default boolean mayDependOnPodsOf(int slot) {
    return true;
  }

  /**
   * Returns whether the verdict depends on nothing of the node's pods but the amounts they hold.
   */
  default boolean hasTrial() {
    return false;
  }

  /**
   * Returns a trial of pods that leave the node, by the amounts that they hold; asked if {@link
   * #hasTrial}.
   */
  default AmountsTrial trial(int slot) {
    throw new IllegalStateException("the verdict depends on more than amounts");
  }

  /**
   * Returns the verdict on a node, comparing the outside counts with their limits through the
   * ranges; asked if there are outside counts.
   */
  default int check(int slot, StableRanges ranges) {
    throw new IllegalStateException("no outside counts");
  }

  /**
   * Returns a lower bound of the number of these pods that must leave the node before the filter
   * can pass.
   *
   * @param pods pods on the node
   * @param mayLeave the number of them, from the first on, that may leave; at least one
   */
  default int fewestToLeave(int slot, PodColumns pods, int mayLeave) {
    return 1;
  }

  /**
   * Returns a lower bound of {@link #fewestToLeave(int, PodColumns, int)}, whatever pods may leave,
   * unless all of those are too few. It should not look at the pods.
   *
   * @param below the priority below which pods may leave
   */
  default int fewestToLeave(int slot, int below) {
    return 1;
  }
}
