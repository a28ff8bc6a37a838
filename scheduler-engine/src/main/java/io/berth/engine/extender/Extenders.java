package io.berth.engine.extender;

import io.berth.engine.framework.Consultation;
import io.berth.engine.framework.PodShape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The extenders of a policy, in the order in which they are asked: as in kube-scheduler, those
 * without which no pod is placed come first.
 */
public record Extenders(List<Extender> extenders) implements Consultation {
  /** Time for what is read from the API server before an extender is asked. */
  private static final Duration READING = Duration.ofSeconds(20);

  /** The number of pods that are asked about at a time where each question carries names alone. */
  private static final int MOST_OPEN = 32;

  /** The same where questions carry nodes or pods as a whole. */
  private static final int MOST_OPEN_WITH_OBJECTS = 4;

  public Extenders {
    List<Extender> ordered =
        new ArrayList<>(extenders.stream().filter(e -> !e.ignorable()).toList());
    extenders.stream().filter(Extender::ignorable).forEach(ordered::add);
    extenders = List.copyOf(ordered);
  }

  @Override
  public String name() {
    return (extenders.size() == 1 ? "extender " : "extenders ")
        + extenders.stream().map(Extender::urlPrefix).collect(Collectors.joining(", "));
  }

  @Override
  public Optional<Extenders> forShape(PodShape shape) {
    List<Extender> interested =
        extenders.stream().filter(extender -> extender.isInterestedIn(shape)).toList();
    if (interested.size() == extenders.size()) {
      return Optional.of(this);
    }
    return interested.isEmpty() ? Optional.empty() : Optional.of(new Extenders(interested));
  }

  @Override
  public boolean hasSayIn(Topic topic) {
    return extenders.stream().map(Extender::verbs).anyMatch(verbs -> isAsked(verbs, topic));
  }

  private static boolean isAsked(Extender.Verbs verbs, Topic topic) {
    return switch (topic) {
      case NODES -> verbs.filter().isPresent() || verbs.prioritize().isPresent();
      case VICTIMS -> verbs.preempt().isPresent();
      case BINDING -> verbs.bind().isPresent();
    };
  }

  /**
   * Never less than it takes when each answer takes all its time: filters one after the other, then
   * scores at once. Who asks them ends each request in its own time.
   */
  @Override
  public Duration timeout() {
    Duration sum = READING;
    Duration longest = Duration.ZERO;
    for (Extender extender : extenders) {
      sum = sum.plus(extender.timeout());
      longest = longest.compareTo(extender.timeout()) < 0 ? extender.timeout() : longest;
    }
    return sum.plus(longest);
  }

  @Override
  public int mostOpen() {
    return extenders.stream().allMatch(Extender::nodeCacheCapable)
        ? MOST_OPEN
        : MOST_OPEN_WITH_OBJECTS;
  }
}
