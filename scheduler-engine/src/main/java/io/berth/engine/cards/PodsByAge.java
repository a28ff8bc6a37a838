package io.berth.engine.cards;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Pods in the order of their creation, of which the oldest are counted. They are kept in sorted
 * blocks, so that the number of counted pods can change by thousands at once: that only visits
 * these pods, one after the other.
 *
 * @param <T> what a pod counts for
 */
final class PodsByAge<T> {
  /** The number of pods at which a block is divided in two. */
  private static final int FULL = 512;

  /** A pod; its time of creation is unpacked, because it is compared often. */
  private static final class Pod<T> {
    final long second;
    final int nano;
    final String uid;
    final T countsFor;
    boolean counts;

    Pod(Instant createdAt, String uid, T countsFor) {
      this.second = createdAt.getEpochSecond();
      this.nano = createdAt.getNano();
      this.uid = uid;
      this.countsFor = countsFor;
    }

    boolean isBefore(Pod<T> other) {
      if (second != other.second) {
        return second < other.second;
      }
      return nano == other.nano ? uid.compareTo(other.uid) < 0 : nano < other.nano;
    }
  }

  private final ObjIntConsumer<T> count;
  private final List<List<Pod<T>>> blocks = new ArrayList<>();
  private int size;
  private int counted;

  /**
   * Creates an empty order.
   *
   * @param count receives what a pod counts for, and 1 when it begins to count or -1 when it ends
   */
  PodsByAge(ObjIntConsumer<T> count) {
    this.count = count;
  }

  /** Returns the number of pods. */
  int size() {
    return size;
  }

  /** Returns the number of the oldest pods that are counted. */
  int counted() {
    return counted;
  }

  /**
   * Adds a pod, and counts it if a pod that is counted is younger.
   *
   * @param uid orders pods that were created at the same time
   * @return false if the pod is present already
   */
  boolean add(Instant createdAt, String uid, T countsFor) {
    Pod<T> added = new Pod<>(createdAt, uid, countsFor);
    if (blocks.isEmpty()) {
      blocks.add(new ArrayList<>());
    }
    int number = blockOf(added);
    List<Pod<T>> block = blocks.get(number);
    int at = placeIn(block, added);
    Pod<T> next = at < block.size() ? block.get(at) : firstAfter(number);
    if (next != null && !added.isBefore(next)) {
      return false;
    }
    block.add(at, added);
    size++;
    if (next != null && next.counts) {
      set(added, true);
    }
    if (block.size() >= FULL) {
      List<Pod<T>> younger = block.subList(FULL / 2, block.size());
      blocks.add(number + 1, new ArrayList<>(younger));
      younger.clear();
    }
    return true;
  }

  private @Nullable Pod<T> firstAfter(int number) {
    return number + 1 < blocks.size() ? blocks.get(number + 1).getFirst() : null;
  }

  /** Removes a pod; returns false if it is not present. */
  boolean remove(Instant createdAt, String uid, T countsFor) {
    Pod<T> wanted = new Pod<>(createdAt, uid, countsFor);
    int number = blockOf(wanted);
    List<Pod<T>> block = blocks.isEmpty() ? List.of() : blocks.get(number);
    int at = placeIn(block, wanted);
    if (at == block.size() || wanted.isBefore(block.get(at))) {
      return false;
    }
    Pod<T> removed = block.remove(at);
    size--;
    if (removed.counts) {
      set(removed, false);
    }
    if (block.isEmpty()) {
      blocks.remove(number);
    }
    return true;
  }

  /**
   * Counts exactly this many of the oldest pods.
   *
   * @param wanted at most the number of pods
   */
  void countOldest(int wanted) {
    if (counted == wanted) {
      return;
    }
    int number = firstNotCounted();
    if (counted < wanted) {
      for (; counted < wanted; number++) {
        for (Pod<T> pod : blocks.get(number)) {
          if (!pod.counts && counted < wanted) {
            set(pod, true);
          }
        }
      }
      return;
    }
    for (number = Math.min(number, blocks.size() - 1); counted > wanted; number--) {
      List<Pod<T>> block = blocks.get(number);
      for (int i = block.size() - 1; i >= 0 && counted > wanted; i--) {
        if (block.get(i).counts) {
          set(block.get(i), false);
        }
      }
    }
  }

  private void set(Pod<T> pod, boolean counts) {
    pod.counts = counts;
    counted += counts ? 1 : -1;
    count.accept(pod.countsFor, counts ? 1 : -1);
  }

  /** Returns the first block with a pod that is not counted; the number of blocks if none has. */
  private int firstNotCounted() {
    int low = 0;
    int high = blocks.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (blocks.get(middle).getLast().counts) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Returns the last block that does not begin after the pod; the first one if all do. */
  private int blockOf(Pod<T> pod) {
    int low = 0;
    int high = blocks.size();
    while (high - low > 1) {
      int middle = (low + high) >>> 1;
      if (pod.isBefore(blocks.get(middle).getFirst())) {
        high = middle;
      } else {
        low = middle;
      }
    }
    return low;
  }

  /** Returns the index of the first pod of a block that is not older than this one. */
  private static <T> int placeIn(List<Pod<T>> block, Pod<T> pod) {
    int low = 0;
    int high = block.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (block.get(middle).isBefore(pod)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
