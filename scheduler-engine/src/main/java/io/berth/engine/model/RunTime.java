package io.berth.engine.model;

import java.time.Duration;
import java.util.Optional;

/**
 * The expected run time of a pod.
 *
 * @param ends whether it ends by itself: its restart policy is not Always, or its owner declares a
 *     run time
 * @param expected the run time that its owner declares, at most {@link #LONGEST}; empty if there is
 *     none
 */
public record RunTime(boolean ends, Optional<Duration> expected) {
  /** The longest run time that counts; a longer one is read as this one. */
  public static final Duration LONGEST = Duration.ofDays(30);

  private static final RunTime ENDLESS = new RunTime(false, Optional.empty());
  private static final RunTime TO_COMPLETION = new RunTime(true, Optional.empty());

  /** Limits the run time. */
  public RunTime {
    expected = expected.map(time -> time.compareTo(LONGEST) < 0 ? time : LONGEST);
  }

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
