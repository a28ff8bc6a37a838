package io.berth.engine.selector;

/**
 * A count for each of many numbers, such as slots or domains. Numbers with the count 0 take no
 * memory for long.
 */
public final class SparseCounts {
  /** Receives counts, or changes of counts, by number. */
  @FunctionalInterface
  public interface Visitor {
    void visit(int number, int count);
  }

  private static final int LEAST_PLACES = 8;

  /** The number plus one, 0 for a free entry; open addressing. */
  private int[] keys = new int[LEAST_PLACES];

  private int[] counts = new int[LEAST_PLACES];
  private int used;

  /** Returns the count of a number. */
  public int get(int number) {
    int at = find(number);
    return keys[at] == 0 ? 0 : counts[at];
  }

  /** Adds to the count of a number; returns the count before. */
  public int add(int number, int delta) {
    int at = find(number);
    if (keys[at] == 0) {
      if ((used + 1) * 2 > keys.length) {
        rehash();
        at = find(number);
      }
      keys[at] = number + 1;
      used++;
    }
    int before = counts[at];
    counts[at] = before + delta;
    return before;
  }

  /** Visits every number with a count other than 0. */
  public void forEach(Visitor visitor) {
    for (int at = 0; at < keys.length; at++) {
      if (counts[at] != 0) {
        visitor.visit(keys[at] - 1, counts[at]);
      }
    }
  }

  /** Returns its memory in bytes. */
  public long bytes() {
    return 8L * keys.length;
  }

  private int find(int number) {
    int mask = keys.length - 1;
    int at = (number * 0x9E3779B9) >>> 7 & mask;
    while (keys[at] != 0 && keys[at] != number + 1) {
      at = at + 1 & mask;
    }
    return at;
  }

  private void rehash() {
    int live = 0;
    for (int count : counts) {
      live += count == 0 ? 0 : 1;
    }
    int[] oldKeys = keys;
    int[] oldCounts = counts;
    int size = LEAST_PLACES;
    while (size < (live + 1) * 4) {
      size *= 2;
    }
    keys = new int[size];
    counts = new int[size];
    used = live;
    for (int at = 0; at < oldKeys.length; at++) {
      if (oldCounts[at] != 0) {
        int to = find(oldKeys[at] - 1);
        keys[to] = oldKeys[at];
        counts[to] = oldCounts[at];
      }
    }
  }
}
