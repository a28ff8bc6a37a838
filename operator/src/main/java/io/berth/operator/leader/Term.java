package io.berth.operator.leader;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * One term as leader: the right to change the cluster. It ends by the clock unless it is renewed,
 * whatever the threads of this process do: one that was stopped, or that waited long for a
 * connection, finds it ended. A term that has ended stays so.
 */
public final class Term {

  private final long lifeNanos;
  private final LongSupplier nanoTime;

  private volatile long renewedAt;
  private volatile boolean ended;
  private volatile boolean ranOut;

  /**
   * A term that begins.
   *
   * @param life how long it lasts after its last renewal
   * @param nanoTime a clock as {@link System#nanoTime}, which goes on while the process is stopped
   * @param renewedAt when, by that clock, the request that won the term was made
   */
  Term(Duration life, LongSupplier nanoTime, long renewedAt) {
    this.lifeNanos = life.toNanos();
    this.nanoTime = nanoTime;
    this.renewedAt = renewedAt;
  }

  /** A term of a replica that has no others beside it: it lasts until it is ended. */
  public static Term unlimited() {
    return new Term(Duration.ofNanos(Long.MAX_VALUE), () -> 0, 0);
  }

  /** Returns whether this replica leads: to be asked before each write. */
  public boolean holds() {
    if (!ended && nanoTime.getAsLong() - renewedAt >= lifeNanos) {
      ranOut = true;
      ended = true;
    }
    return !ended;
  }

  /** Returns whether the term expired without a renewal before it was ended explicitly. */
  boolean hasRunOut() {
    return !holds() && ranOut;
  }

  /** Ends the term. */
  public void end() {
    ended = true;
  }

  /**
   * Notes a renewal.
   *
   * @param at when its request was made
   * @return whether the term continues; false if the renewal came too late
   */
  boolean renew(long at) {
    if (!holds()) {
      return false;
    }
    renewedAt = at;
    return true;
  }

  /**
   * Returns the remaining time of the term without another renewal; not positive if it has ended.
   */
  Duration left() {
    return ended ? Duration.ZERO : Duration.ofNanos(lifeNanos - (nanoTime.getAsLong() - renewedAt));
  }
}
