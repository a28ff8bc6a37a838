package io.berth.operator.api;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/** Time, delays, threads, and chance, for all that sends requests to servers. */
public interface Timing {

  /** Returns the time of a clock like {@link System#nanoTime}, in nanoseconds. */
  long nanoTime();

  /** Runs a task after a delay, on any thread. */
  void later(Duration pause, Runnable task);

  /** Returns the source of chance, such as the jitter of delays. */
  RandomGenerator random();

  /**
   * Runs a task that may wait, on a thread of its own.
   *
   * @param name the name of the thread
   */
  void fork(String name, Runnable task);

  /** Waits for a result, in a task that was {@link #fork forked}. */
  <T> T await(CompletableFuture<T> result);
}
