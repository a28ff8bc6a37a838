package io.berth.operator.leader;

import java.util.Optional;

/**
 * Hears when this replica starts and stops leading. Calls come one at a time from the election's
 * thread, which renews the lease as well: they must return within the retry period.
 */
public interface LeaderListener {

  /** This replica holds the lease from now on. */
  void startedLeading();

  /**
   * This replica no longer holds the lease, or cannot be sure that it does: stop acting at once.
   */
  void stoppedLeading();

  /**
   * Why this replica should not lead now; empty when it may. A leader that should not gives the
   * lease back; another replica does not stand for election meanwhile.
   */
  default Optional<String> unfit() {
    return Optional.empty();
  }
}
