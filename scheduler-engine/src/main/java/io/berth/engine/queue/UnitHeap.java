package io.berth.engine.queue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A binary heap whose entries know their position, so that any entry can be removed in O(log n).
 */
final class UnitHeap<U> {
  private final List<QueuedUnit<U>> entries = new ArrayList<>();
  private final Comparator<QueuedUnit<U>> order;

  UnitHeap(Comparator<QueuedUnit<U>> order) {
    this.order = order;
  }

  /** Returns the entries, in any order. */
  List<QueuedUnit<U>> entries() {
    return List.copyOf(entries);
  }

  int size() {
    return entries.size();
  }

  @Nullable QueuedUnit<U> first() {
    return entries.isEmpty() ? null : entries.get(0);
  }

  void add(QueuedUnit<U> entry) {
    entries.add(entry);
    entry.heapIndex = entries.size() - 1;
    up(entry);
  }

  void remove(QueuedUnit<U> entry) {
    int hole = entry.heapIndex;
    QueuedUnit<U> last = entries.remove(entries.size() - 1);
    entry.heapIndex = -1;
    if (last != entry) {
      set(hole, last);
      reorder(last);
    }
  }

  /** Restores the order after the sort key of the entry has changed. */
  void reorder(QueuedUnit<U> entry) {
    up(entry);
    down(entry);
  }

  private void up(QueuedUnit<U> entry) {
    int at = entry.heapIndex;
    while (at > 0) {
      int parent = (at - 1) / 2;
      QueuedUnit<U> above = entries.get(parent);
      if (order.compare(above, entry) <= 0) {
        break;
      }
      set(at, above);
      at = parent;
    }
    set(at, entry);
  }

  private void down(QueuedUnit<U> entry) {
    int at = entry.heapIndex;
    int size = entries.size();
    while (2 * at + 1 < size) {
      int child = 2 * at + 1;
      if (child + 1 < size && order.compare(entries.get(child + 1), entries.get(child)) < 0) {
        child++;
      }
      QueuedUnit<U> below = entries.get(child);
      if (order.compare(entry, below) <= 0) {
        break;
      }
      set(at, below);
      at = child;
    }
    set(at, entry);
  }

  private void set(int index, QueuedUnit<U> entry) {
    entries.set(index, entry);
    entry.heapIndex = index;
  }
}
