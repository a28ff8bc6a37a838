package io.berth.webhook.http;

import java.time.Duration;

/** Counts the requests in progress, checks their limit, and waits for their end. Thread-safe. */
final class RequestsUnderWay {
  private final int limit;

  // Guarded by this.
  private int count;

  RequestsUnderWay(int limit) {
    this.limit = limit;
  }

  /**
   * Adds a request and returns whether the count is within the limit; {@link #end} must be called
   * in either case.
   */
  synchronized boolean begin() {
    count++;
    return count <= limit;
  }

  synchronized void end() {
    count--;
    notifyAll();
  }

  /** Waits until no requests are in progress; returns false if the time runs out first. */
  synchronized boolean awaitNone(Duration patience) throws InterruptedException {
    long end = System.nanoTime() + patience.toNanos();
    while (count > 0) {
      long left = end - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      wait(left / 1_000_000, (int) (left % 1_000_000));
    }
    return true;
  }
}
