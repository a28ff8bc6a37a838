package io.berth.engine.extender;

import io.berth.engine.framework.Consultation;
import io.berth.engine.framework.PodShape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The extenders of a policy, in the order in which they are called: as in kube-scheduler, those
 * that are not ignorable come first.
 */
public record Extenders(List<Extender> extenders) implements Consultation {
  /** The time to read objects from the API server before an extender is called. */
  private static final Duration READING = Duration.ofSeconds(20);

  /** The maximum number of open questions if they carry only names. */
  private static final int MOST_OPEN = 32;

  /** The maximum number of open questions if they carry whole nodes or pods. */
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
   * Returns a time in which all extenders can answer even if each takes its full time limit:
   * filters in sequence, then scores in parallel. The caller enforces the limit of each request.
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
