package io.berth.operator.reconcile;

import io.berth.crds.SchedulingPolicy;
import io.berth.crds.rollout.RolloutStatus;
import io.berth.operator.policy.PolicyState;
import io.berth.operator.policy.ServedPolicies;
import io.berth.operator.rollout.RolloutProgress;
import io.berth.operator.rollout.RolloutProgress.Results;
import io.berth.operator.rollout.RolloutProgress.SpecRevision;
import io.berth.operator.rollout.RolloutTally;
import io.berth.webhook.rollout.Rollouts;
import io.berth.webhook.rollout.SpecHash;
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

  /** Returns the next state of a policy's rollout; empty if its changes take effect at once. */
  Optional<RolloutOutcome> next(SchedulingPolicy policy, Optional<PolicyState> state) {
    String name = policy.getMetadata().getName();
    if (!Rollouts.isGradual(Rollouts.of(policy))) {
      tally.end(name);
      return Optional.empty();
    }
    @Nullable RolloutStatus last = Rollouts.last(policy);
    String revision = String.valueOf(StatusReconciler.generation(policy));
    boolean isCompiled =
        state.filter(it -> it.latest().equals(revision) && it.problems().isEmpty()).isPresent();
    Optional<SpecRevision> stable = served.stable(name);
    if (!isCompiled || stable.isEmpty()) {
      return RolloutOutcome.held(last);
    }
    SpecRevision latest = new SpecRevision(revision, SpecHash.of(policy.getSpec()));
    RolloutProgress progress =
        new RolloutProgress(policy.getSpec().rollout(), last, latest, stable);
    boolean isUnderWay = progress.isUnderWay();
    Results results = isUnderWay ? follow(name, progress) : Results.NONE;
    RolloutStatus next = progress.next(results, clock.instant());
    if (!Rollouts.isOpen(next)) {
      tally.end(name);
    } else if (!isUnderWay) {
      follow(name, progress.after(next));
    }
    return Optional.of(RolloutOutcome.of(progress, next));
  }

  private Results follow(String policy, RolloutProgress progress) {
    return tally.follow(
        policy,
        progress.latest().hash(),
        progress.stable().orElseThrow().revision(),
        progress.lastResults());
  }
}
