package io.berth.sandbox.kubelet;

import java.time.Duration;
import java.util.PriorityQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * One thread that works off messages and due timers, one after the other; due timers come first, so
 * that heartbeats are not late behind many messages.
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

  /** Leaves a message; from any thread. */
  void add(Runnable message) {
    mailbox.add(message);
  }

  /** Does something later, or at once if the delay is zero; from the loop's own thread. */
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
            .log(System.Logger.Level.WARNING, "a kubelet failed to write", e);
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
