package io.berth.sandbox.kubelet;

import java.time.Duration;
import java.util.PriorityQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A single-threaded event loop for messages and timers. Due timers run first, so that many pending
 * messages do not delay heartbeats.
 */
final class Loop implements AutoCloseable {
  private final LinkedBlockingQueue<Runnable> mailbox = new LinkedBlockingQueue<>();
  private final PriorityQueue<Timer> timers =
      new PriorityQueue<>((left, right) -> Long.signum(left.atNanos - right.atNanos));
  private final Thread thread;
  private volatile boolean closed;

  private record Timer(long atNanos, Runnable action) {}

  Loop(String name) {
    this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /** Enqueues a message. May be called from any thread. */
  void add(Runnable message) {
    mailbox.add(message);
  }

  /**
   * Runs an action after a delay, or immediately if the delay is zero. Called on the loop's thread.
   */
  void after(Duration delay, Runnable action) {
    if (delay.isZero()) {
      action.run();
    } else {
      timers.add(new Timer(System.nanoTime() + delay.toNanos(), action));
    }
  }

  private void run() {
    try {
      while (!closed) {
        Runnable next;
        if (timers.isEmpty()) {
          next = mailbox.take();
        } else {
          long wait = timers.peek().atNanos - System.nanoTime();
          next = wait <= 0 ? timers.remove().action : mailbox.poll(wait, TimeUnit.NANOSECONDS);
        }
        if (next != null) {
          runOne(next);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void runOne(Runnable next) {
    try {
      next.run();
    } catch (RuntimeException e) {
      if (!closed) {
        System.getLogger(Loop.class.getName())
            .log(System.Logger.Level.WARNING, "a simulated kubelet failed to process an event", e);
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
