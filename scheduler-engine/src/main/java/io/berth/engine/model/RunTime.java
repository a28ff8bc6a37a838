package io.berth.engine.model;

import java.time.Duration;
import java.util.Optional;

/**
 * The expected run time of a pod.
 *
 * @param ends whether it ends by itself: its restart policy is not Always, or its owner declares a
 *     run time
 * @param expected the run time that its owner declares; empty if there is none
 */
public record RunTime(boolean ends, Optional<Duration> expected) {
  private static final RunTime ENDLESS = new RunTime(false, Optional.empty());
  private static final RunTime TO_COMPLETION = new RunTime(true, Optional.empty());

  /** Returns the run time of a service, which ends only when it is deleted. */
  public static RunTime endless() {
    return ENDLESS;
  }

  /** Returns the run time of a pod that ends by itself at an unknown time. */
  public static RunTime toCompletion() {
    return TO_COMPLETION;
  }

  /** Returns the run time that the pod's owner declares. */
  public static RunTime of(Duration expected) {
    return new RunTime(true, Optional.of(expected));
  }
}
