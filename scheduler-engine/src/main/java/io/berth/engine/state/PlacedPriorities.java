package io.berth.engine.state;

import java.util.TreeMap;

/** The number of placed pods, by priority. */
final class PlacedPriorities {
  private final TreeMap<Integer, int[]> counts = new TreeMap<>();

  void count(int priority, int delta) {
    int[] count = counts.computeIfAbsent(priority, absent -> new int[1]);
    count[0] += delta;
    if (count[0] == 0) {
      counts.remove(priority);
    }
  }

  /** Returns the lowest priority of the pods on nodes; the maximum value if there are none. */
  int lowest() {
    return counts.isEmpty() ? Integer.MAX_VALUE : counts.firstKey();
  }
}
