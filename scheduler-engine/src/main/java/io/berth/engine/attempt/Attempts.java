package io.berth.engine.attempt;

import io.berth.engine.Attempt;
import io.berth.engine.EngineOptions;
import io.berth.engine.Outcome;
import io.berth.engine.cycle.Cycle;
import io.berth.engine.cycle.Plans;
import io.berth.engine.lifecycle.PendingPods;
import io.berth.engine.lifecycle.PodEvents;
import io.berth.engine.policy.ServedPolicies;
import io.berth.engine.preemption.Preemption;
import io.berth.engine.preemption.Promises;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.Unit;
import java.time.Instant;
import java.util.Optional;

/** Attempts at the units of the queue. */
public final class Attempts {
  /** A unit to try, or an attempt to go on with. */
  public sealed interface Task {
    /** The unit that the task is about. */
    Unit unit();

    /** The attempt that the task is a part of. */
    Attempt attempt();
  }

  /**
   * A pod to try.
   *
   * @param answered the advice for which the attempt had left; empty where it begins
   */
  public record OfPod(PodEntry unit, Attempt attempt, Optional<Consultations.Answered> answered)
      implements Task {}

  /** A step in the attempt at a group. */
  public record OfGroup(OpenGroups.Open open) implements Task {
    @Override
    public Unit unit() {
      return open.group();
    }

    @Override
    public Attempt attempt() {
      return open.attempt();
    }
  }

  private final PendingPods pending;
  private final PodAttempts pods;
  private final GroupAttempts groups;

  public Attempts(
      ClusterState state,
      ServedPolicies policies,
      PendingPods pending,
      PodEvents podEvents,
      Promises promises,
      Plans plans,
      EngineOptions options) {
    PodPlans podPlans = new PodPlans(state, policies, plans);
    Cycle cycle = new Cycle(state, promises.nominations(), options);
    this.pending = pending;
    this.pods = new PodAttempts(state, pending, podEvents, promises, podPlans, cycle, options);
    this.groups =
        new GroupAttempts(
            state, pending, podEvents, promises, podPlans, cycle, pods.preemption().forGroups());
  }

  /** Returns the preemption, for tests that count dry runs. */
  public Preemption preemption() {
    return pods.preemption();
  }

  /** The first attempt at a unit that was taken from the queue. */
  public static Task begin(Unit unit, Attempt attempt) {
    return switch (unit) {
      case PodEntry pod -> new OfPod(pod, attempt, Optional.empty());
      case GroupEntry group -> new OfGroup(new OpenGroups.Open(group, attempt, new GroupSearch()));
    };
  }

  /** The attempt that has left for advice and has it; empty where there is none. */
  public Optional<Task> advised() {
    return pending
        .consultations()
        .poll()
        .map(left -> new OfPod(left.pod(), left.attempt(), left.answer()));
  }

  /** The next step in an attempt at a group that was interrupted; empty where there is none. */
  public Optional<Task> openGroup() {
    return pending.openGroups().poll().map(OfGroup::new);
  }

  /**
   * Takes a step.
   *
   * @return the outcome; empty where there is none yet, or where it is among {@link
   *     PendingPods#decided}
   */
  public Optional<Outcome> run(Task task, Instant now) {
    return switch (task) {
      case OfPod pod -> Optional.of(pods.run(pod.unit(), pod.attempt(), pod.answered(), now));
      case OfGroup group -> {
        groups.step(group.open(), now);
        yield Optional.empty();
      }
    };
  }
}
