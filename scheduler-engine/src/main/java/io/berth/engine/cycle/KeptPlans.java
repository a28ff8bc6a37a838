package io.berth.engine.cycle;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
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

  private static final class Kept<V> {
    final V value;
    long lastUse;

    Kept(V value) {
      this.value = value;
    }
  }

  private final Map<K, Kept<V>> isProtected = new LinkedHashMap<>(16, 0.75f, true);
  private final Map<K, Kept<V>> passing = new LinkedHashMap<>(16, 0.75f, true);
  private long lookups;

  /** Returns the value of a key; null if it is not kept. Counts as a use. */
  @Nullable V use(K key) {
    lookups++;
    Kept<V> found = isProtected.get(key);
    if (found == null) {
      found = passing.get(key);
      if (found == null) {
        return null;
      }
      long before = found.lastUse;
      found.lastUse = lookups;
      protectIfUsedMore(key, found, before);
    }
    found.lastUse = lookups;
    return found.value;
  }

  /** Protects a value that was used again, in place of one that was not used meanwhile. */
  private void protectIfUsedMore(K key, Kept<V> found, long before) {
    Map.Entry<K, Kept<V>> eldest = eldest(isProtected);
    if (passing.size() <= mostPassing()) {
      if (eldest == null || eldest.getValue().lastUse > before) {
        return;
      }
      isProtected.remove(eldest.getKey());
      passing.put(eldest.getKey(), eldest.getValue());
    }
    passing.remove(key);
    isProtected.put(key, found);
  }

  /** Adds a value for a key that has none. */
  void add(K key, V value) {
    Kept<V> added = new Kept<>(value);
    added.lastUse = lookups;
    Map.Entry<K, Kept<V>> eldest = eldest(isProtected);
    if (eldest != null && lookups - eldest.getValue().lastUse > (long) PATIENCE * size()) {
      isProtected.remove(eldest.getKey());
      passing.put(eldest.getKey(), eldest.getValue());
    }
    (passing.size() > mostPassing() ? isProtected : passing).put(key, added);
  }

  private int mostPassing() {
    return Math.max(1, size() / NOT_PROTECTED);
  }

  private static <K, V> Map.@Nullable Entry<K, Kept<V>> eldest(Map<K, Kept<V>> values) {
    Iterator<Map.Entry<K, Kept<V>>> all = values.entrySet().iterator();
    return all.hasNext() ? all.next() : null;
  }

  /**
   * Removes the value that is dropped first.
   *
   * @throws IllegalStateException if there are no values
   */
  V dropOne() {
    Map<K, Kept<V>> from =
        passing.size() > mostPassing() || isProtected.isEmpty() ? passing : isProtected;
    Map.Entry<K, Kept<V>> eldest = eldest(from);
    if (eldest == null) {
      throw new IllegalStateException("nothing to drop");
    }
    from.remove(eldest.getKey());
    return eldest.getValue().value;
  }

  /** Returns the number of values. */
  int size() {
    return isProtected.size() + passing.size();
  }

  /** Returns all values, in an order that depends on the calls alone. */
  Collection<V> values() {
    List<V> values = new ArrayList<>(size());
    isProtected.values().forEach(kept -> values.add(kept.value));
    passing.values().forEach(kept -> values.add(kept.value));
    return values;
  }

  /** Removes the values with certain keys, and returns them. */
  List<V> removeAll(Predicate<K> unwanted) {
    List<V> removed = new ArrayList<>();
    for (Map<K, Kept<V>> values : List.of(isProtected, passing)) {
      values
          .entrySet()
          .removeIf(
              entry -> {
                boolean old = unwanted.test(entry.getKey());
                if (old) {
                  removed.add(entry.getValue().value);
                }
                return old;
              });
    }
    return removed;
  }
}
