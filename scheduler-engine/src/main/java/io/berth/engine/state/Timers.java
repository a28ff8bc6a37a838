package io.berth.engine.state;

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

  /** Returns the time at which the next timer is due; {@link Instant#MAX} if there is none. */
  public Instant due() {
    Instant earliest = Instant.MAX;
    for (Timer timer : timers) {
      earliest = earlier(timer.due(), earliest);
    }
    return earliest;
  }

  /** Runs the timers that are due. */
  public void run(Instant now) {
    for (int i = 0; i < timers.size(); i++) {
      if (!timers.get(i).due().isAfter(now)) {
        timers.get(i).run(now);
      }
    }
  }

  /** Returns the earlier of two instants. */
  public static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }
}
