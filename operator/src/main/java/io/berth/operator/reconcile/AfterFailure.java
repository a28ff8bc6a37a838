package io.berth.operator.reconcile;

import java.time.Duration;

/**
 * The reaction to a status that could not be written.
 *
 * @param again whether the object is reconciled again because of it
 * @param asked the delay that the API server requests; zero if it requests none
 */
public record AfterFailure(boolean again, Duration asked) {

  static AfterFailure givesUp() {
    return new AfterFailure(false, Duration.ZERO);
  }
}
