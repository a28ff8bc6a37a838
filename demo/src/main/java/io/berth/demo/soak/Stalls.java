package io.berth.demo.soak;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;

/**
 * The windows of time in which the machine or the API server stalled, so that nothing can be said
 * about Berth: a thread that slept woke up too late, or got less than a tenth of a CPU, or a read
 * of an administrator took too long. With a tenth of a CPU, a pod is still placed well within the
 * two seconds that are promised. Thread-safe.
 */
final class Stalls {
  /** The longest delay that is no stall. */
  private static final Duration LIMIT = Duration.ofMillis(400);

  /** The time that everything needs to catch up after a stall, in windows. */
  private static final int AFTER = 2;

  private static final long WINDOW = TimeUnit.MILLISECONDS.toNanos(250);

  private static final long COMPUTED = TimeUnit.MILLISECONDS.toNanos(8);
  private static final int LEAST_SHARE = 10;

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final long began = System.nanoTime();
  private final ConcurrentSkipListSet<Long> stalled = new ConcurrentSkipListSet<>();

  /** Reports how long something took that usually takes almost no time, and ended now. */
  void took(Duration time) {
    if (time.compareTo(LIMIT) > 0) {
      stalled(System.nanoTime() - time.toNanos());
    }
  }

  private void stalled(long since) {
    long end = window(System.nanoTime());
    for (long window = window(since); window <= end + AFTER; window++) {
      stalled.add(window);
    }
  }

  /** Sleeps and then computes for some milliseconds, and reports the delay of both. */
  void test(Duration pause) throws InterruptedException {
    long before = System.nanoTime();
    Thread.sleep(pause);
    took(Duration.ofNanos(System.nanoTime() - before).minus(pause));
    long began = System.nanoTime();
    long used = threads.getCurrentThreadCpuTime();
    while (threads.getCurrentThreadCpuTime() - used < COMPUTED) {
      Thread.onSpinWait();
    }
    if (System.nanoTime() - began > COMPUTED * LEAST_SHARE) {
      stalled(began);
    }
  }

  /** Returns the time between two moments, in nanoseconds, without the windows that count not. */
  long nanosBetween(long from, long to) {
    long windows = stalled.subSet(window(from), true, window(to), true).size();
    return Math.max(0, to - from - windows * WINDOW);
  }

  /** Returns the share of the time up to now in which the machine stalled. */
  double share() {
    long all = Math.max(1, window(System.nanoTime()) + 1);
    return (double) stalled.headSet(all).size() / all;
  }

  private long window(long nanos) {
    return Math.floorDiv(nanos - began, WINDOW);
  }
}
