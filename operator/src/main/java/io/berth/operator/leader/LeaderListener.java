package io.berth.operator.leader;

import java.time.Duration;
import java.util.Optional;

/**
 * Hears when this replica starts and stops leading. Calls must return within the retry period: they
 * come from the election's thread, which renews the lease as well, or from its watchdog.
 */
public interface LeaderListener {

  /**
   * This replica holds the lease from now on.
   *
   * @param term to be asked before each write
   */
  void startedLeading(Term term);

  /**
   * This replica no longer holds the lease, or cannot be sure that it does.
   *
   * @param ended the term, which holds no more
   */
  void stoppedLeading(Term ended);

  /**
   * The term that has just stopped was not given up: another replica has the lease, or it could not
   * be renewed in time.
   */
  default void lostLease() {}

  /**
   * The lease was taken or renewed.
   *
   * @param took from the beginning of the attempt to the answer
   */
  default void renewed(Duration took) {}

  /**
   * Returns the reason for which this replica should not lead now; empty if it may. A leader that
   * should not gives the lease back; another replica does not stand for election meanwhile.
   */
  default Optional<String> unfit() {
    return Optional.empty();
  }
}
