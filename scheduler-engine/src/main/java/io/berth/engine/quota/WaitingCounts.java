package io.berth.engine.quota;

import java.util.Map;
import java.util.TreeMap;

/** The number of units that wait in the subtree of a queue, by their priority. */
final class WaitingCounts {
  private final TreeMap<Integer, Integer> byPriority = new TreeMap<>();

  /** Counts units that begin to wait in a leaf; negative for those that end to. */
  static void count(QueueNode leaf, int priority, int change) {
    for (QueueNode node = leaf; node != null; node = node.parent) {
      node.waiting.count(priority, change);
    }
  }

  private void count(int priority, int change) {
    byPriority.merge(priority, change, Integer::sum);
    byPriority.remove(priority, 0);
  }

  /** Returns the number of units with at least this priority. */
  int from(int priority) {
    int units = 0;
    for (Map.Entry<Integer, Integer> entry : byPriority.tailMap(priority).entrySet()) {
      units += entry.getValue();
    }
    return units;
  }
}
