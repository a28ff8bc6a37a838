package io.berth.engine.model;

import java.time.Duration;
import java.util.Optional;

/**
 * The time for which a pod runs, as far as it is known.
 *
 * @param ends whether it ends by itself: its containers are not always restarted, or its owner says
 *     how long it runs
 * @param expected how long it runs, as its owner declares; empty where nobody does
 */
public record RunTime(boolean ends, Optional<Duration> expected) {
  private static final RunTime ENDLESS = new RunTime(false, Optional.empty());
  private static final RunTime TO_COMPLETION = new RunTime(true, Optional.empty());

  /** The run time of a service: it ends only when somebody deletes it. */
  public static RunTime endless() {
    return ENDLESS;
  }

  /** The run time of a pod that ends by itself, nobody knows when. */
  public static RunTime toCompletion() {
    return TO_COMPLETION;
  }

  /** The run time that the pod's owner declares. */
  public static RunTime of(Duration expected) {
    return new RunTime(true, Optional.of(expected));
  }
}
