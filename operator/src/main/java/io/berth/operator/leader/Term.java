package io.berth.operator.leader;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * One term as leader, which is the permission to change the cluster. It expires unless it is
 * renewed, whatever the threads of this process do: a thread that was suspended, or that waited for
 * a connection, finds the term expired. A term that has ended cannot be resumed. Thread-safe.
 */
public final class Term {

  private final long lifeNanos;
  private final LongSupplier nanoTime;

  private volatile long renewedAt;
  private volatile boolean ended;
  private volatile boolean ranOut;

  /**
   * Begins a term.
   *
   * @param life how long the term lasts after its last renewal
   * @param nanoTime a clock like {@link System#nanoTime}, which also advances while the process is
   *     suspended
   * @param renewedAt the time, by that clock, at which the request that acquired the lease was sent
   */
  Term(Duration life, LongSupplier nanoTime, long renewedAt) {
    this.lifeNanos = life.toNanos();
    this.nanoTime = nanoTime;
    this.renewedAt = renewedAt;
  }

  /** Returns a term for a replica without leader election: it lasts until it is ended. */
  public static Term unlimited() {
    return new Term(Duration.ofNanos(Long.MAX_VALUE), () -> 0, 0);
  }

  /** Returns whether the term is valid; call it before each write. */
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
   * Records a renewal.
   *
   * @param at the time at which the renewal request was sent
   * @return whether the term continues; false if the renewal came too late
   */
  boolean renew(long at) {
    if (!holds()) {
      return false;
    }
    renewedAt = at;
    return true;
  }

  /** Returns the remaining time until the term expires; not positive if it has ended. */
  Duration left() {
    return ended ? Duration.ZERO : Duration.ofNanos(lifeNanos - (nanoTime.getAsLong() - renewedAt));
  }
}
