package io.berth.engine.quota;

import io.berth.engine.state.SchedulingUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The choice of the next unit, level by level: first the children whose guarantee would cover their
 * next unit, then the one with the highest priority, then the one with the lowest sum of its share
 * after the unit and its past share, then by name.
 */
final class NextUnit {
  private final Function<SchedulingUnit, @Nullable UnitShare> needs;
  private final Capacity capacity;

  /**
   * @param needs returns what a unit needs; null if it belongs to no queue
   */
  NextUnit(Function<SchedulingUnit, @Nullable UnitShare> needs, Capacity capacity) {
    this.needs = needs;
    this.capacity = capacity;
  }

  /** Records that the use of the queue, or its first waiting unit, has changed. */
  static void changed(QueueNode leaf) {
    for (QueueNode node = leaf; node != null; node = node.parent) {
      node.next.isStale = true;
    }
  }

  /** Records that the capacity has changed, on which all shares depend. */
  static void allChanged(QueueNode node) {
    node.next.isStale = true;
    node.children.forEach(NextUnit::allChanged);
  }

  /** Returns the queue whose first waiting unit is next; null if no unit waits. */
  @Nullable QueueNode of(QueueNode node) {
    QueueHead next = node.next;
    if (!next.isStale) {
      return next.leaf;
    }
    next.leaf = null;
    next.unit = null;
    if (node.isLeaf()) {
      if (next.head != null) {
        next.leaf = node;
        next.unit = needs.apply(next.head);
      }
    } else {
      QueueNode best = null;
      for (QueueNode child : node.children) {
        if (of(child) != null && (best == null || isBefore(child, best))) {
          best = child;
        }
      }
      if (best != null) {
        next.leaf = best.next.leaf;
        next.unit = best.next.unit;
      }
    }
    rate(node, next);
    next.isStale = false;
    return next.leaf;
  }

  private void rate(QueueNode node, QueueHead next) {
    UnitShare unit = next.unit;
    next.isCovered = false;
    next.share = 0;
    if (unit != null && node.depth > 0) {
      next.isCovered = node.wouldCover(unit);
      next.share = unit.shareOf(node, next.isCovered, capacity) + node.pastShare;
    }
  }

  private static boolean isBefore(QueueNode one, QueueNode other) {
    if (one.next.isCovered != other.next.isCovered) {
      return one.next.isCovered;
    }
    if (one.priority != other.priority) {
      return one.priority > other.priority;
    }
    int byShare = Double.compare(one.next.share, other.next.share);
    return byShare != 0 ? byShare < 0 : one.name.compareTo(other.name) < 0;
  }
}
