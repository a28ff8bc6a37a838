package io.berth.engine;

import io.berth.engine.framework.Consultation;
import io.berth.engine.framework.PodShape;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** An advisor that is required for pods of some priorities. */
record Advisor(
    String name, int leastPriority, Duration timeout, int mostOpen, Set<Consultation.Topic> topics)
    implements Consultation {
  private static final int MANY = 1000;

  Advisor(String name, int leastPriority, Duration timeout) {
    this(name, leastPriority, timeout, MANY, Set.of(Topic.NODES));
  }

  /** Returns an advisor that is required for all pods. */
  static Advisor forAll() {
    return new Advisor("advisor", Integer.MIN_VALUE, Duration.ofSeconds(5));
  }

  /** Returns an advisor that is required for all pods and takes part in these topics. */
  static Advisor in(Topic... topics) {
    return new Advisor("advisor", Integer.MIN_VALUE, Duration.ofSeconds(5), MANY, Set.of(topics));
  }

  Advisor withMostOpen(int most) {
    return new Advisor(name, leastPriority, timeout, most, topics);
  }

  @Override
  public Optional<Advisor> forShape(PodShape shape) {
    return shape.spec().priority() >= leastPriority ? Optional.of(this) : Optional.empty();
  }

  @Override
  public boolean hasSayIn(Topic topic) {
    return topics.contains(topic);
  }
}
