package io.berth.engine;

import io.berth.engine.framework.Consultation;
import io.berth.engine.framework.PodShape;
import java.time.Duration;

/** An advisor that is wanted for pods of some priorities. */
record Advisor(String name, int leastPriority, Duration timeout) implements Consultation {
  /** An advisor that is wanted for all pods. */
  static Advisor forAll() {
    return new Advisor("advisor", Integer.MIN_VALUE, Duration.ofSeconds(5));
  }

  @Override
  public boolean concerns(PodShape shape) {
    return shape.spec().priority() >= leastPriority;
  }
}
