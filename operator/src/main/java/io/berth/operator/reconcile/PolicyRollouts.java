package io.berth.operator.reconcile;

import io.berth.crds.SchedulingPolicy;
import io.berth.crds.rollout.RolloutStatus;
import io.berth.operator.policy.PolicyState;
import io.berth.operator.policy.ServedPolicies;
import io.berth.operator.rollout.RolloutProgress;
import io.berth.operator.rollout.RolloutProgress.Results;
import io.berth.operator.rollout.RolloutTally;
import io.berth.webhook.rollout.Rollouts;
import io.berth.webhook.rollout.SpecRevision;
import java.time.Clock;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The rollouts of policies. Results are counted from the decisions of the engine. */
final class PolicyRollouts {
  private final ServedPolicies served;
  private final RolloutTally tally;
  private final Clock clock;

  PolicyRollouts(ServedPolicies served, RolloutTally tally, Clock clock) {
    this.served = served;
    this.tally = tally;
    this.clock = clock;
  }

  /**
   * Returns the next state of a policy's rollout; empty if its changes take effect at once.
   *
   * @param isStored whether the last complete revision is stored; without it, no rollout begins
   */
  Optional<RolloutOutcome> next(
      SchedulingPolicy policy, Optional<PolicyState> state, boolean isStored) {
    String name = policy.getMetadata().getName();
    if (!Rollouts.isGradual(Rollouts.of(policy))) {
      tally.end(name);
      return Optional.empty();
    }
    @Nullable RolloutStatus last = Rollouts.last(policy);
    SpecRevision latest = SpecRevision.of(policy);
    if (state.filter(it -> it.latest().equals(latest.revision())).isEmpty()) {
      return Optional.of(RolloutOutcome.held(last));
    }
    Optional<SpecRevision> stable = served.stable(name);
    if (served.lacksRevisions(name)) {
      return Optional.of(RolloutOutcome.unknown(last));
    }
    if (stable.isEmpty() || !state.get().problems().isEmpty()) {
      return Optional.of(RolloutOutcome.held(last));
    }
    RolloutProgress progress =
        new RolloutProgress(policy.getSpec().rollout(), last, latest, stable);
    boolean isUnderWay = progress.isUnderWay();
    Results results = isUnderWay ? tally.follow(name, progress) : Results.NONE;
    RolloutStatus next = progress.next(results, clock.instant());
    if (progress.begins(next) && !isStored) {
      return Optional.of(RolloutOutcome.notStored(progress));
    }
    if (!Rollouts.isOpen(next)) {
      tally.end(name);
    } else if (!isUnderWay) {
      tally.follow(name, progress.after(next));
    }
    return Optional.of(RolloutOutcome.of(progress, next));
  }
}
