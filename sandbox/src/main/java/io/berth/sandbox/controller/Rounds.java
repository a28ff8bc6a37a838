package io.berth.sandbox.controller;

import java.time.Duration;

/**
 * A task that runs periodically on its own virtual thread. A failed run is logged and does not end
 * the task.
 */
final class Rounds implements AutoCloseable {
  private final Thread thread;
  private volatile boolean closed;

  private Rounds(String name, Duration interval, Runnable round) {
    this.thread = Thread.ofVirtual().name(name).unstarted(() -> run(name, interval, round));
  }

  /** Starts the task; the first run follows after one interval. */
  static Rounds start(String name, Duration interval, Runnable round) {
    Rounds rounds = new Rounds(name, interval, round);
    rounds.thread.start();
    return rounds;
  }

  private void run(String name, Duration interval, Runnable round) {
    try {
      while (!closed) {
        Thread.sleep(interval);
        try {
          round.run();
        } catch (RuntimeException e) {
          if (!closed) {
            System.getLogger(Rounds.class.getName())
                .log(System.Logger.Level.WARNING, name + ": a periodic run failed", e);
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
