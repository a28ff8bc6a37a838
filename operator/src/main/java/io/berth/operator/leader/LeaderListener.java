package io.berth.operator.leader;

import java.time.Duration;
import java.util.Optional;

/**
 * Is notified when this replica starts and stops leading. Callbacks must return within the retry
 * period, because they run on the election's thread, which also renews the lease, or on its
 * watchdog.
 */
public interface LeaderListener {

  /**
   * Called when this replica has acquired the lease.
   *
   * @param term the term, to be checked before each write
   */
  void startedLeading(Term term);

  /**
   * Called when this replica no longer holds the lease, or cannot be sure that it does.
   *
   * @param ended the term that has ended
   */
  void stoppedLeading(Term ended);

  /**
   * Called if the term ended against the replica's will: another replica holds the lease, or it
   * could not be renewed in time.
   */
  default void lostLease() {}

  /**
   * Called if the lease is older than it was before: the API server's data has gone back in time,
   * so that everything this replica knows may be wrong.
   *
   * @param finding what was read, and what was known before
   */
  default void dataWentBack(String finding) {}

  /**
   * Called when the lease was acquired or renewed.
   *
   * @param took the time from the start of the attempt to the response
   */
  default void renewed(Duration took) {}

  /**
   * Returns the reason why this replica should not lead now; empty if it may. An unfit leader
   * releases the lease, and an unfit candidate does not try to acquire it.
   */
  default Optional<String> unfit() {
    return Optional.empty();
  }
}
