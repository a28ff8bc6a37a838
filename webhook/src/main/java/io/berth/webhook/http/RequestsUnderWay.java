package io.berth.webhook.http;

import java.time.Duration;

/** The number of requests that are being handled: bounded, and waited for at the end. */
final class RequestsUnderWay {
  private final int limit;

  // Guarded by this.
  private int count;

  RequestsUnderWay(int limit) {
    this.limit = limit;
  }

  /**
   * Counts one more request and returns whether the limit allows it; {@link #end} must be called in
   * either case.
   */
  synchronized boolean begin() {
    count++;
    return count <= limit;
  }

  synchronized void end() {
    count--;
    notifyAll();
  }

  /** Waits until there are none; returns whether this was the case in time. */
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
