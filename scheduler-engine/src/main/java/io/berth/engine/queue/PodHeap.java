package io.berth.engine.queue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A binary heap whose entries know their position, so that any of them leaves in O(log n). */
final class PodHeap<P> {
  private final List<QueuedPod<P>> entries = new ArrayList<>();
  private final Comparator<QueuedPod<P>> order;

  PodHeap(Comparator<QueuedPod<P>> order) {
    this.order = order;
  }

  int size() {
    return entries.size();
  }

  @Nullable QueuedPod<P> first() {
    return entries.isEmpty() ? null : entries.get(0);
  }

  void add(QueuedPod<P> entry) {
    entries.add(entry);
    entry.heapIndex = entries.size() - 1;
    up(entry);
  }

  void remove(QueuedPod<P> entry) {
    int hole = entry.heapIndex;
    QueuedPod<P> last = entries.remove(entries.size() - 1);
    entry.heapIndex = -1;
    if (last != entry) {
      set(hole, last);
      reorder(last);
    }
  }

  /** To be called when what orders the entry has changed. */
  void reorder(QueuedPod<P> entry) {
    up(entry);
    down(entry);
  }

  private void up(QueuedPod<P> entry) {
    int at = entry.heapIndex;
    while (at > 0) {
      int parent = (at - 1) / 2;
      QueuedPod<P> above = entries.get(parent);
      if (order.compare(above, entry) <= 0) {
        break;
      }
      set(at, above);
      at = parent;
    }
    set(at, entry);
  }

  private void down(QueuedPod<P> entry) {
    int at = entry.heapIndex;
    int size = entries.size();
    while (2 * at + 1 < size) {
      int child = 2 * at + 1;
      if (child + 1 < size && order.compare(entries.get(child + 1), entries.get(child)) < 0) {
        child++;
      }
      QueuedPod<P> below = entries.get(child);
      if (order.compare(entry, below) <= 0) {
        break;
      }
      set(at, below);
      at = child;
    }
    set(at, entry);
  }

  private void set(int index, QueuedPod<P> entry) {
    entries.set(index, entry);
    entry.heapIndex = index;
  }
}
