package io.berth.engine.state;

import java.time.Instant;

/** Something that has to be done at a time of its own, though nothing happens in the cluster. */
public interface Timer {
  /** Returns the time of the next run; {@link Instant#MAX} while there is nothing to do. */
  Instant due();

  /** Does what is due at this time, so that {@link #due} lies after it. */
  void run(Instant now);
}
