package io.berth.operator.reconcile;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The turns of namespaces at a limited number of items per round: each namespace gets one item
 * before any gets another, and the next round begins after the namespace that came last. So many
 * items of one namespace do not delay those of others. Not thread-safe.
 */
final class NamespaceTurns {
  private String last = "";

  /**
   * Returns the items whose turn it is.
   *
   * @param most the maximum number of items
   * @param items all items; those of a namespace are taken in this order
   */
  <T> List<T> take(int most, Collection<T> items, Function<T, String> namespace) {
    NavigableMap<String, Deque<T>> waiting = new TreeMap<>();
    for (T item : items) {
      waiting.computeIfAbsent(namespace.apply(item), each -> new ArrayDeque<>()).add(item);
    }
    List<T> taken = new ArrayList<>();
    while (taken.size() < most && !waiting.isEmpty()) {
      String next = waiting.higherKey(last);
      last = next == null ? waiting.firstKey() : next;
      Deque<T> ofNamespace = waiting.get(last);
      taken.add(ofNamespace.remove());
      if (ofNamespace.isEmpty()) {
        waiting.remove(last);
      }
    }
    return taken;
  }
}
