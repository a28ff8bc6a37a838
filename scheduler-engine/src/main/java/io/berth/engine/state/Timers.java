package io.berth.engine.state;

import io.berth.engine.time.Due;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The timers of the engine. The engine runs the due timers before it takes the next pod from the
 * queue, and is idle at most until the earliest timer.
 */
public final class Timers {
  private final List<Timer> timers = new ArrayList<>();

  /** Adds a timer, which runs until it is removed. */
  public void add(Timer timer) {
    timers.add(timer);
  }

  /** Removes a timer. */
  public void remove(Timer timer) {
    timers.remove(timer);
  }

  /** Returns the time at which the next timer is due. */
  public Due due() {
    Due earliest = Due.NEVER;
    for (Timer timer : timers) {
      earliest = earliest.orEarlier(timer.due());
    }
    return earliest;
  }

  /** Runs the timers that are due. */
  public void run(Instant now) {
    for (int i = 0; i < timers.size(); i++) {
      if (timers.get(i).due().isReached(now)) {
        timers.get(i).run(now);
      }
    }
  }
}
