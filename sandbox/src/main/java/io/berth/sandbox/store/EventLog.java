package io.berth.sandbox.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The latest changes of a bucket, in order. Watches do not subscribe. Each reads the log from its
 * own position, a resourceVersion, and waits at the end. A slow watch therefore costs nothing, and
 * detects that it has fallen behind when its position has been dropped.
 */
final class EventLog {
  private static final int FIRST_SIZE = 64;
  private static final int BATCH = 256;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition appended = lock.newCondition();
  private final int capacity;
  private StoreEvent[] ring;
  private int first;
  private int size;
  private long droppedUpTo;
  private boolean closed;

  /**
   * @param capacity maximum number of changes to keep
   * @param resourceVersion version at which the bucket was created; it contains no older changes
   */
  EventLog(int capacity, long resourceVersion) {
    this.capacity = capacity;
    this.droppedUpTo = resourceVersion;
    this.ring = new StoreEvent[Math.min(FIRST_SIZE, capacity)];
  }

  void append(StoreEvent event) {
    lock.lock();
    try {
      if (size == ring.length) {
        if (size < capacity) {
          grow();
        } else {
          dropFirst();
        }
      }
      ring[(first + size) % ring.length] = event;
      size++;
      appended.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Drops all changes up to a version, as etcd's compaction does. */
  void compact(long resourceVersion) {
    lock.lock();
    try {
      while (size > 0 && at(0).resourceVersion() <= resourceVersion) {
        dropFirst();
      }
      droppedUpTo = Math.max(droppedUpTo, resourceVersion);
      appended.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Closes the log and ends all waits. */
  void close() {
    lock.lock();
    try {
      closed = true;
      appended.signalAll();
    } finally {
      lock.unlock();
    }
  }

  boolean closed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether the log contains all changes after a version. */
  boolean reaches(long resourceVersion) {
    lock.lock();
    try {
      return resourceVersion >= droppedUpTo;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns the next batch of changes after a version, and waits for the first if there is none.
   *
   * @return empty if changes after that version have been dropped; an empty list if the wait timed
   *     out or the log was closed
   */
  Optional<List<StoreEvent>> after(long resourceVersion, Duration patience)
      throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = patience.toNanos();
      while (true) {
        if (resourceVersion < droppedUpTo) {
          return Optional.empty();
        }
        int from = firstAfter(resourceVersion);
        if (from < size) {
          int to = Math.min(size, from + BATCH);
          List<StoreEvent> read = new ArrayList<>(to - from);
          for (int i = from; i < to; i++) {
            read.add(at(i));
          }
          return Optional.of(read);
        }
        if (closed || left <= 0) {
          return Optional.of(List.of());
        }
        left = appended.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns all changes after a version, in order; empty if some have been dropped. */
  Optional<List<StoreEvent>> since(long resourceVersion) {
    lock.lock();
    try {
      if (resourceVersion < droppedUpTo) {
        return Optional.empty();
      }
      List<StoreEvent> read = new ArrayList<>();
      for (int i = firstAfter(resourceVersion); i < size; i++) {
        read.add(at(i));
      }
      return Optional.of(read);
    } finally {
      lock.unlock();
    }
  }

  private int firstAfter(long resourceVersion) {
    int low = 0;
    int high = size;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (at(middle).resourceVersion() <= resourceVersion) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private StoreEvent at(int position) {
    return ring[(first + position) % ring.length];
  }

  private void grow() {
    StoreEvent[] larger = new StoreEvent[Math.min(capacity, ring.length * 2)];
    for (int i = 0; i < size; i++) {
      larger[i] = at(i);
    }
    ring = larger;
    first = 0;
  }

  private void dropFirst() {
    droppedUpTo = at(0).resourceVersion();
    first = (first + 1) % ring.length;
    size--;
  }
}
