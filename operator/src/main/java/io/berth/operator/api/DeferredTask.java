package io.berth.operator.api;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A task that is run after a pause, once for all requests that arrive before it begins.
 * Thread-safe.
 */
public final class DeferredTask {
  /** Delays are in whole milliseconds, and a run before the pause is over would be useless. */
  private static final Duration UP_TO_A_MILLISECOND = Duration.ofNanos(999_999);

  private final Timing timing;
  private final Runnable task;
  private final AtomicBoolean requested = new AtomicBoolean();

  /** Creates a task that nobody has requested yet. */
  public DeferredTask(Timing timing, Runnable task) {
    this.timing = timing;
    this.task = task;
  }

  /** Requests a run after the pause, unless one is already requested. */
  public void runAfter(Duration pause) {
    if (requested.compareAndSet(false, true)) {
      timing.later(
          pause.plus(UP_TO_A_MILLISECOND),
          () -> {
            requested.set(false);
            task.run();
          });
    }
  }
}
