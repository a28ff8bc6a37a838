package io.berth.operator.bind;

import io.berth.engine.api.Decision.Placed;
import io.berth.engine.api.TogetherStep;
import io.berth.engine.model.PodRef;
import io.berth.operator.api.ApiCalls;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Prepares the volumes of pods that start together: the first pod is bound only when the volumes of
 * all are prepared. If a volume cannot be prepared, or the placement of a pod is canceled, none of
 * the pods is bound.
 */
public final class GroupPreparation extends WrappedPreparation {
  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

  /**
   * The time for which a failed start is remembered, because placements arrive one by one and the
   * last ones must fail too.
   */
  private static final Duration REMEMBERED = Duration.ofMinutes(1);

  private final ApiCalls api;
  private final Predicate<PodRef> isPending;

  /** The starts in progress, by name. Guarded by this. */
  private final Map<String, Start> starts = new HashMap<>();

  /**
   * @param volumes prepares the volumes of one pod
   * @param isPending returns whether a pod exists and is not bound to a node
   */
  public GroupPreparation(ApiCalls api, VolumePreparation volumes, Predicate<PodRef> isPending) {
    super(volumes);
    this.api = api;
    this.isPending = isPending;
  }

  @Override
  public void prepare(
      Placed placed, BooleanSupplier wanted, Runnable ready, Consumer<String> failed) {
    Optional<TogetherStep> together = placed.step(TogetherStep.class);
    if (together.isEmpty()) {
      volumes.prepare(placed, wanted, ready, failed);
      return;
    }
    Start start = startOf(together.get());
    Member member = new Member(placed.pod(), wanted, ready, failed);
    if (!start.join(member)) {
      failed.accept(start.failure());
      return;
    }
    volumes.prepare(
        placed.without(together.get()),
        () -> wanted.getAsBoolean() && start.isOpen(),
        () -> start.prepared(placed.pod()),
        why -> start.fail("pod " + placed.pod().name() + ": " + why));
  }

  private Start startOf(TogetherStep step) {
    Start known;
    synchronized (this) {
      known = starts.get(step.start());
      if (known != null) {
        return known;
      }
      known = new Start(step);
      starts.put(step.start(), known);
    }
    api.later(LOOK_EVERY, known::look);
    return known;
  }

  private synchronized void forget(TogetherStep step) {
    starts.remove(step.start());
  }

  /** A pod whose placement has arrived. */
  private record Member(
      PodRef pod, BooleanSupplier wanted, Runnable ready, Consumer<String> failed) {}

  /** A group of pods that are bound together or not at all. */
  private final class Start {
    private final TogetherStep step;

    // Guarded by this.
    private final Map<String, Member> members = new HashMap<>();
    private final Set<String> prepared = new HashSet<>();
    private boolean open = true;
    private String failure = "";

    Start(TogetherStep step) {
      this.step = step;
    }

    /** Adds a pod; returns false if the start has already failed. */
    synchronized boolean join(Member member) {
      if (open) {
        members.put(member.pod().uid(), member);
      }
      return open;
    }

    synchronized boolean isOpen() {
      return open;
    }

    synchronized String failure() {
      return failure;
    }

    void prepared(PodRef pod) {
      List<Member> all;
      synchronized (this) {
        prepared.add(pod.uid());
        if (!open || prepared.size() < step.pods().size()) {
          return;
        }
        open = false;
        all = List.copyOf(members.values());
      }
      forget(step);
      all.forEach(member -> member.ready().run());
    }

    void fail(String why) {
      List<Member> all;
      synchronized (this) {
        if (!open) {
          return;
        }
        open = false;
        failure = why;
        all = List.copyOf(members.values());
      }
      api.later(REMEMBERED, () -> forget(step));
      all.forEach(member -> member.failed().accept(why));
    }

    /**
     * Fails the start if one of its pods was canceled, or is gone before its placement has arrived,
     * so that the others do not wait for it.
     */
    void look() {
      Optional<PodRef> missing;
      synchronized (this) {
        if (!open) {
          return;
        }
        missing = step.pods().stream().filter(pod -> !isAwaited(pod)).findFirst();
      }
      if (missing.isPresent()) {
        fail(
            "pod "
                + missing.get().name()
                + " of the same group is gone or its placement was canceled");
      } else {
        api.later(LOOK_EVERY, this::look);
      }
    }

    private boolean isAwaited(PodRef pod) {
      Member member = members.get(pod.uid());
      return (member == null || member.wanted().getAsBoolean()) && isPending.test(pod);
    }
  }
}
