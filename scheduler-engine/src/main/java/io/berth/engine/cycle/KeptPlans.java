package io.berth.engine.cycle;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Values by key, with the order in which they are dropped. Values that are used again are
 * protected; the others pass through a small part of the cache, and are dropped from there. So a
 * series of values that are used once does not displace those that are used again, and of more
 * values in turn than there is room for, most of the first ones stay. If the least recently used
 * value were dropped, none of them would be found again.
 *
 * <p>The order depends on the calls alone.
 */
final class KeptPlans<K, V> {
  /** The inverse of the share of values that are not protected. */
  private static final int NOT_PROTECTED = 16;

  /**
   * A protected value that was not used for this many times as many lookups as there are values is
   * not protected any more.
   */
  private static final int PATIENCE = 4;

  /** A value, as an element of one of the two series. */
  private static final class Kept<K, V> {
    final K key;
    final V value;
    long lastUse;
    Series<K, V> series;
    @Nullable Kept<K, V> before;
    @Nullable Kept<K, V> after;

    Kept(K key, V value, long lastUse, Series<K, V> series) {
      this.key = key;
      this.value = value;
      this.lastUse = lastUse;
      this.series = series;
    }
  }

  /** Values in the order of their last use, as a linked list: a use moves one to the end. */
  private static final class Series<K, V> {
    @Nullable Kept<K, V> eldest;
    @Nullable Kept<K, V> newest;
    int size;

    void append(Kept<K, V> kept) {
      kept.series = this;
      kept.before = newest;
      kept.after = null;
      if (newest == null) {
        eldest = kept;
      } else {
        newest.after = kept;
      }
      newest = kept;
      size++;
    }

    void remove(Kept<K, V> kept) {
      if (kept.before == null) {
        eldest = kept.after;
      } else {
        kept.before.after = kept.after;
      }
      if (kept.after == null) {
        newest = kept.before;
      } else {
        kept.after.before = kept.before;
      }
      size--;
    }
  }

  private final Map<K, Kept<K, V>> byKey = new HashMap<>();
  private final Series<K, V> isProtected = new Series<>();
  private final Series<K, V> passing = new Series<>();
  private long lookups;

  /** Returns the value of a key; null if it is not kept. Counts as a use. */
  @Nullable V use(K key) {
    lookups++;
    Kept<K, V> found = byKey.get(key);
    if (found == null) {
      return null;
    }
    Series<K, V> series = found.series;
    if (series == passing && isUsedMore(found)) {
      series = isProtected;
    }
    move(found, series);
    found.lastUse = lookups;
    return found.value;
  }

  private void move(Kept<K, V> kept, Series<K, V> to) {
    kept.series.remove(kept);
    to.append(kept);
  }

  /**
   * Returns whether a value that is used again is to be protected: if there is room, or in place of
   * one that was not used meanwhile, which then passes.
   */
  private boolean isUsedMore(Kept<K, V> found) {
    if (passing.size > mostPassing()) {
      return true;
    }
    Kept<K, V> eldest = isProtected.eldest;
    if (eldest == null || eldest.lastUse > found.lastUse) {
      return false;
    }
    move(eldest, passing);
    return true;
  }

  /** Adds a value for a key that has none. */
  void add(K key, V value) {
    Kept<K, V> eldest = isProtected.eldest;
    if (eldest != null && lookups - eldest.lastUse > (long) PATIENCE * size()) {
      move(eldest, passing);
    }
    Series<K, V> series = passing.size > mostPassing() ? isProtected : passing;
    Kept<K, V> added = new Kept<>(key, value, lookups, series);
    series.append(added);
    byKey.put(key, added);
  }

  private int mostPassing() {
    return Math.max(1, size() / NOT_PROTECTED);
  }

  /**
   * Removes the value that is dropped first.
   *
   * @throws IllegalStateException if there are no values
   */
  V dropOne() {
    Series<K, V> from =
        passing.size > mostPassing() || isProtected.size == 0 ? passing : isProtected;
    Kept<K, V> eldest = from.eldest;
    if (eldest == null) {
      throw new IllegalStateException("nothing to drop");
    }
    from.remove(eldest);
    byKey.remove(eldest.key);
    return eldest.value;
  }

  /** Returns the number of values. */
  int size() {
    return byKey.size();
  }

  /** Returns all values, in an order that depends on the calls alone. */
  Collection<V> values() {
    List<V> values = new ArrayList<>(size());
    for (Kept<K, V> kept : all()) {
      values.add(kept.value);
    }
    return values;
  }

  private List<Kept<K, V>> all() {
    List<Kept<K, V>> all = new ArrayList<>(size());
    for (Kept<K, V> each = isProtected.eldest; each != null; each = each.after) {
      all.add(each);
    }
    for (Kept<K, V> each = passing.eldest; each != null; each = each.after) {
      all.add(each);
    }
    return all;
  }

  /** Removes the values with certain keys, and returns them. */
  List<V> removeAll(Predicate<K> unwanted) {
    List<V> removed = new ArrayList<>();
    for (Kept<K, V> kept : all()) {
      if (unwanted.test(kept.key)) {
        kept.series.remove(kept);
        byKey.remove(kept.key);
        removed.add(kept.value);
      }
    }
    return removed;
  }
}
