package io.berth.engine.queue;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The units that are ready to be tried. They wait in one heap, in the order of priority and then of
 * arrival; or, while there is a {@link QueueOrder}, in the heaps that it names.
 */
final class ActiveUnits<U> {
  private final UnitHeap<U> all = new UnitHeap<>(QueuedUnit::byPriority);
  private final IdentityHashMap<Object, UnitHeap<U>> heaps = new IdentityHashMap<>();
  private @Nullable QueueOrder<U> order;
  private int size;

  int size() {
    return size;
  }

  /** Returns the order that names the heaps; null if there is only one heap. */
  @Nullable QueueOrder<U> order() {
    return order;
  }

  /** Adds a unit whose heap is known, if there are several. */
  void add(QueuedUnit<U> entry) {
    size++;
    Object key = entry.heapKey;
    if (order == null || key == null) {
      all.add(entry);
      return;
    }
    UnitHeap<U> heap = heaps.computeIfAbsent(key, absent -> new UnitHeap<>(QueuedUnit::byPriority));
    QueuedUnit<U> before = heap.first();
    heap.add(entry);
    announce(order, key, heap, before);
  }

  void remove(QueuedUnit<U> entry) {
    size--;
    Object key = entry.heapKey;
    if (order == null || key == null) {
      all.remove(entry);
      return;
    }
    UnitHeap<U> heap = heaps.get(key);
    if (heap == null) {
      throw new IllegalStateException("unit " + entry.key + " is in no heap");
    }
    QueuedUnit<U> before = heap.first();
    heap.remove(entry);
    if (heap.size() == 0) {
      heaps.remove(key);
    }
    announce(order, key, heap, before);
  }

  private static <U> void announce(
      QueueOrder<U> order, Object key, UnitHeap<U> heap, @Nullable QueuedUnit<U> before) {
    QueuedUnit<U> first = heap.first();
    if (first != before) {
      order.headChanged(key, first == null ? null : first.unit);
    }
  }

  /** Returns the unit to try next; null if there is none. */
  @Nullable QueuedUnit<U> first() {
    if (order == null) {
      return all.first();
    }
    if (size == 0) {
      return null;
    }
    Object key = order.next();
    UnitHeap<U> heap = key == null ? null : heaps.get(key);
    if (heap == null) {
      throw new IllegalStateException(size + " units are active, and none of them is next");
    }
    return heap.first();
  }

  /** Returns all units, in any order. */
  List<QueuedUnit<U>> entries() {
    List<QueuedUnit<U>> entries = new ArrayList<>(all.entries());
    heaps.values().forEach(heap -> entries.addAll(heap.entries()));
    return entries;
  }

  /** Uses the heaps of an order from now on; a single one if it is null. There must be no units. */
  void regroup(@Nullable QueueOrder<U> next) {
    order = next;
  }
}
