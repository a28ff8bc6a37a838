package io.berth.serving.http;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A limit on bytes per second, shared by several readers. Each reader reports the bytes that it has
 * read, and must then pause; pauses end in the order of the reports. Thread-safe.
 */
final class ReadRate {
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final int bytesPerSecond;
  private final LongSupplier nanoTime;

  /** The time at which everything reported so far has been read at the limit. */
  private final AtomicLong readAt;

  /**
   * Creates a limit.
   *
   * @param bytesPerSecond the limit, at least 1
   * @param nanoTime a clock such as {@link System#nanoTime}
   */
  ReadRate(int bytesPerSecond, LongSupplier nanoTime) {
    if (bytesPerSecond < 1) {
      throw new IllegalArgumentException("a rate is at least 1 byte/s, not " + bytesPerSecond);
    }
    this.bytesPerSecond = bytesPerSecond;
    this.nanoTime = nanoTime;
    this.readAt = new AtomicLong(nanoTime.getAsLong());
  }

  /** Reports bytes that were read, and returns the pause before the next read. */
  Duration take(int bytes) {
    long now = nanoTime.getAsLong();
    long cost = bytes * NANOS_PER_SECOND / bytesPerSecond;
    long next = readAt.accumulateAndGet(cost, (at, more) -> Math.max(at - now, 0) + now + more);
    return Duration.ofNanos(next - now);
  }
}
