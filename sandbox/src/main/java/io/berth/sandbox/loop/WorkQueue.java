package io.berth.sandbox.loop;

import io.berth.rules.retry.DoublingPause;
import io.berth.sandbox.store.ObjectKey;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A deduplicating queue of keys that are reconciled one at a time by one virtual thread. A key
 * whose reconciliation fails is retried after a delay that doubles from 20 ms up to 30 s.
 */
public final class WorkQueue implements AutoCloseable {
  private static final DoublingPause DELAY =
      new DoublingPause(Duration.ofMillis(20), Duration.ofSeconds(30));

  /**
   * The number of consecutive failures after which a warning is logged. Earlier failures may be
   * mere conflicts.
   */
  private static final int LOGGED_FAILURE = 6;

  /** Reconciles the object of a key with its desired state. */
  public interface Reconciler {
    /**
     * Reconciles a key and returns the time after which to reconcile it again even if nothing
     * changes; empty if not needed.
     */
    Optional<Duration> reconcile(ObjectKey key);
  }

  private record Later(ObjectKey key, long atNanos) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition work = lock.newCondition();
  private final Set<ObjectKey> ready = new LinkedHashSet<>();
  private final PriorityQueue<Later> later =
      new PriorityQueue<>((left, right) -> Long.signum(left.atNanos - right.atNanos));
  private final Map<ObjectKey, Integer> failures = new HashMap<>();
  private final Reconciler reconciler;
  private final Thread thread;
  private volatile boolean closed;

  private WorkQueue(String name, Reconciler reconciler) {
    this.reconciler = reconciler;
    this.thread = Thread.ofVirtual().name(name).unstarted(this::run);
  }

  /** Starts a queue and its thread. */
  public static WorkQueue start(String name, Reconciler reconciler) {
    WorkQueue queue = new WorkQueue(name, reconciler);
    queue.thread.start();
    return queue;
  }

  /** Enqueues a key. */
  public void add(ObjectKey key) {
    lock.lock();
    try {
      if (ready.add(key)) {
        work.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Enqueues a key after a delay. */
  public void addAfter(ObjectKey key, Duration delay) {
    lock.lock();
    try {
      later.add(new Later(key, System.nanoTime() + delay.toNanos()));
      work.signal();
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    try {
      while (!closed) {
        ObjectKey key = take();
        try {
          Optional<Duration> again = reconciler.reconcile(key);
          failures.remove(key);
          again.ifPresent(delay -> addAfter(key, delay));
        } catch (RuntimeException e) {
          int count = failures.merge(key, 1, Integer::sum);
          addAfter(key, DELAY.before(count));
          if (count == LOGGED_FAILURE) {
            System.getLogger(WorkQueue.class.getName())
                .log(
                    System.Logger.Level.WARNING,
                    thread.getName()
                        + ": "
                        + key
                        + " has failed "
                        + count
                        + " times; it is retried with a delay of up to "
                        + DELAY.longest().toSeconds()
                        + " s",
                    e);
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private ObjectKey take() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (true) {
        long now = System.nanoTime();
        while (!later.isEmpty() && later.peek().atNanos - now <= 0) {
          ready.add(later.remove().key);
        }
        if (!ready.isEmpty()) {
          ObjectKey key = ready.iterator().next();
          ready.remove(key);
          return key;
        }
        if (later.isEmpty()) {
          work.await();
        } else {
          work.awaitNanos(later.peek().atNanos - now);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
