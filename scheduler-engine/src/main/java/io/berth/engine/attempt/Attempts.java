package io.berth.engine.attempt;

import io.berth.engine.api.Attempt;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Outcome;
import io.berth.engine.cycle.Cycle;
import io.berth.engine.cycle.Plans;
import io.berth.engine.decision.NodeJudgement;
import io.berth.engine.group.GroupSearch;
import io.berth.engine.lifecycle.Consultations;
import io.berth.engine.lifecycle.OpenGroups;
import io.berth.engine.lifecycle.PendingWork;
import io.berth.engine.lifecycle.PodIntake;
import io.berth.engine.policy.PolicyTable;
import io.berth.engine.preemption.Preemption;
import io.berth.engine.preemption.Reservations;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.SchedulingUnit;
import java.time.Instant;
import java.util.Optional;

/** The scheduling attempts for the units of the queue. */
public final class Attempts {
  /** A new or resumed attempt. */
  public sealed interface Task {
    /** Returns the unit of the attempt. */
    SchedulingUnit unit();

    /** Returns the attempt. */
    Attempt attempt();
  }

  /**
   * An attempt to schedule a pod.
   *
   * @param answered the advice that the attempt was waiting for; empty for a new attempt
   */
  public record OfPod(PodEntry unit, Attempt attempt, Optional<Consultations.Answered> answered)
      implements Task {}

  /** A step of the attempt to schedule a group. */
  public record OfGroup(OpenGroups.Open open) implements Task {
    @Override
    public SchedulingUnit unit() {
      return open.group();
    }

    @Override
    public Attempt attempt() {
      return open.attempt();
    }
  }

  private final Consultations consultations;
  private final OpenGroups openGroups;
  private final PodPlans plans;
  private final Cycle cycle;
  private final PodAttempts pods;
  private final GroupAttempts groups;

  public Attempts(
      ClusterState state,
      PolicyTable policies,
      PendingWork work,
      PodIntake podEvents,
      Reservations reservations,
      Plans plans,
      EngineOptions options) {
    PodPlans podPlans = new PodPlans(state, policies, plans);
    this.plans = podPlans;
    this.cycle = new Cycle(state, reservations.nominations(), options);
    this.consultations = work.pods().consultations();
    this.openGroups = work.openGroups();
    this.pods =
        new PodAttempts(
            state, policies, work.pods(), podEvents, reservations, podPlans, cycle, options);
    this.groups =
        new GroupAttempts(
            state, work, podEvents, reservations, podPlans, cycle, pods.preemption().forGroups());
  }

  /** Returns what the pod's policy makes of a node; empty if the pod cannot be tried. */
  public Optional<NodeJudgement> judge(PodEntry pod, int slot) {
    return plans.of(pod) instanceof PodPlans.Ready ready
        ? Optional.of(cycle.judge(pod, ready.plan(), slot))
        : Optional.empty();
  }

  /** Returns the search for nodes. */
  public Cycle cycle() {
    return cycle;
  }

  /** Returns the attempts of other policies beside those of the pods' own. */
  public ShadowAttempts shadows() {
    return pods.shadows();
  }

  /** Returns the preemption. */
  public Preemption preemption() {
    return pods.preemption();
  }

  /** Returns a new attempt for a unit from the queue. */
  public static Task begin(SchedulingUnit unit, Attempt attempt) {
    return switch (unit) {
      case PodEntry pod -> new OfPod(pod, attempt, Optional.empty());
      case GroupEntry group -> new OfGroup(new OpenGroups.Open(group, attempt, new GroupSearch()));
    };
  }

  /** Returns the next attempt whose advice has arrived; empty if there is none. */
  public Optional<Task> advised() {
    return consultations.poll().map(left -> new OfPod(left.pod(), left.attempt(), left.answer()));
  }

  /** Returns the next step of a suspended attempt for a group; empty if there is none. */
  public Optional<Task> openGroup() {
    return openGroups.poll().map(OfGroup::new);
  }

  /**
   * Runs a task.
   *
   * @return the outcome; empty if there is none yet, or if it is among {@link PendingWork#decided}
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
