package io.berth.engine.topology;

import io.berth.engine.state.NarrowColumn;
import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * A number for each domain of a topology key, most of which may be 0. If the key has many domains,
 * such as the host name, the numbers other than 0 are kept in a hash table: pods of one kind are on
 * few of 50,000 nodes. When the table would take more memory than a column, it becomes one.
 */
final class DomainCounts {
  /** The number of domains up to which a column is used. */
  private static final int FEW_DOMAINS = 1 << 10;

  private static final int LEAST_PLACES = 16;

  /** The number of domains per entry of the table below which a column takes less memory. */
  private static final int DOMAINS_PER_PLACE = 8;

  /** The numbers by domain; empty while the table is used. */
  private final NarrowColumn column = new NarrowColumn();

  /** The domain plus one, 0 for a free entry; open addressing. */
  private int[] keys = {};

  private int[] counts = {};
  private int used;
  private int bound;

  /** Sets the numbers of all domains to 0, and adjusts to the number of domains. */
  void reset(int domains) {
    bound = domains + domains / 8 + 1;
    used = 0;
    if (domains <= FEW_DOMAINS) {
      keys = new int[0];
      counts = new int[0];
      toColumn();
      column.fill(0, column.length(), 0);
      return;
    }
    column.clear();
    if (keys.length == 0) {
      keys = new int[LEAST_PLACES];
      counts = new int[LEAST_PLACES];
    } else {
      Arrays.fill(keys, 0);
      Arrays.fill(counts, 0);
    }
  }

  private void toColumn() {
    if (column.length() < bound) {
      column.clear();
      column.grow(bound);
    }
  }

  /** Returns the number of a domain. */
  int get(int domain) {
    if (column.length() > 0) {
      return column.get(domain);
    }
    int at = find(domain);
    return keys[at] == 0 ? 0 : counts[at];
  }

  /** Adds to the number of a domain; returns the number before. */
  int add(int domain, int delta) {
    if (column.length() > 0) {
      int before = column.get(domain);
      column.set(domain, before + delta);
      return before;
    }
    int at = find(domain);
    if (keys[at] == 0) {
      if ((used + 1) * 2 > keys.length) {
        grow();
        return add(domain, delta);
      }
      keys[at] = domain + 1;
      used++;
    }
    int before = counts[at];
    counts[at] = before + delta;
    return before;
  }

  /** Visits each domain whose number is not 0. */
  void forEach(IntConsumer visitor) {
    for (int domain = 0; domain < column.length(); domain++) {
      if (column.get(domain) != 0) {
        visitor.accept(domain);
      }
    }
    for (int at = 0; at < keys.length; at++) {
      if (counts[at] != 0) {
        visitor.accept(keys[at] - 1);
      }
    }
  }

  private int find(int domain) {
    int mask = keys.length - 1;
    int at = (domain * 0x9E3779B9) >>> 7 & mask;
    while (keys[at] != 0 && keys[at] != domain + 1) {
      at = at + 1 & mask;
    }
    return at;
  }

  /** Makes room for another domain: drops those whose number is 0 again, and grows if needed. */
  private void grow() {
    int[] oldKeys = keys;
    int[] oldCounts = counts;
    int live = 0;
    for (int count : oldCounts) {
      live += count == 0 ? 0 : 1;
    }
    int places = LEAST_PLACES;
    while (places < (live + 1) * 4) {
      places *= 2;
    }
    if ((long) places * DOMAINS_PER_PLACE > bound) {
      keys = new int[0];
      counts = new int[0];
      toColumn();
    } else {
      keys = new int[places];
      counts = new int[places];
    }
    used = 0;
    for (int at = 0; at < oldKeys.length; at++) {
      if (oldCounts[at] != 0) {
        add(oldKeys[at] - 1, oldCounts[at]);
      }
    }
  }

  /** Returns its memory in bytes. */
  long bytes() {
    return 80L + column.bytes() + 8L * keys.length;
  }
}
