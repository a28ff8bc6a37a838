package io.berth.serving.http;

import java.time.Duration;

/** Counts the requests in progress, and waits for their end. Thread-safe. */
final class RequestsUnderWay {

  // Guarded by this.
  private int count;

  synchronized void begin() {
    count++;
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
