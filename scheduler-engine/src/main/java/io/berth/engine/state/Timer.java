package io.berth.engine.state;

import io.berth.engine.time.Due;
import java.time.Instant;

/** A task that runs at a scheduled time, independent of events in the cluster. */
public interface Timer {
  /** Returns the time of the next run. */
  Due due();

  /** Runs the tasks that are due, and moves {@link #due} after this time. */
  void run(Instant now);
}
