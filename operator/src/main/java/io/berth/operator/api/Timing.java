package io.berth.operator.api;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** Time, delays, and chance, for all that sends requests to the API server. */
public interface Timing {

  /** Returns the time of a clock like {@link System#nanoTime}, in nanoseconds. */
  long nanoTime();

  /** Runs a task after a delay, on any thread. */
  void later(Duration pause, Runnable task);

  /** Returns the source of chance, such as the jitter of delays. */
  RandomGenerator random();
}
