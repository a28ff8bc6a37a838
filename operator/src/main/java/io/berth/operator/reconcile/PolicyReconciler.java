package io.berth.operator.reconcile;

import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingPolicyStatus;
import io.berth.crds.policy.ShadowStatus;
import io.berth.crds.policy.WaterLevelStatus;
import io.berth.engine.api.GaugeReading;
import io.berth.engine.api.ShadowState;
import io.berth.operator.policy.PolicyState;
import io.berth.operator.policy.ServedPolicies;
import io.berth.operator.reconcile.Conditions.Finding;
import io.berth.operator.record.MeasuredLoad;
import io.berth.operator.record.WaterLevels;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.error.Problem;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Maintains the status of SchedulingPolicies, and stores the last good revision of each. Policies
 * reach the engine independently of this: the status only reports what the engine has loaded.
 */
final class PolicyReconciler extends StatusReconciler<SchedulingPolicy, SchedulingPolicyStatus> {

  private final ServedPolicies served;
  private final KeptRevisions kept;
  private final StoredObjectReview review;
  private final Supplier<ConfigCatalog> catalog;
  private final CountedPods pods;
  private final BindingsOfPolicy bindings;
  private final Supplier<Optional<List<GaugeReading>>> gauges;
  private final Supplier<Optional<List<ShadowState>>> shadows;
  private final PolicyRollouts rollouts;
  private final Supplier<Optional<String>> usageProblem;
  private final Clock clock;

  /** Counts the bindings that name a policy. */
  @FunctionalInterface
  interface BindingsOfPolicy {
    int count(String policy);
  }

  PolicyReconciler(
      ServedPolicies served,
      KeptRevisions kept,
      StoredObjectReview review,
      Supplier<ConfigCatalog> catalog,
      CountedPods pods,
      BindingsOfPolicy bindings,
      Supplier<Optional<List<GaugeReading>>> gauges,
      Supplier<Optional<List<ShadowState>>> shadows,
      PolicyRollouts rollouts,
      Supplier<Optional<String>> usageProblem,
      StatusFailures failures,
      Clock clock) {
    super(SchedulingPolicy::new, failures);
    this.served = served;
    this.kept = kept;
    this.review = review;
    this.catalog = catalog;
    this.pods = pods;
    this.bindings = bindings;
    this.gauges = gauges;
    this.shadows = shadows;
    this.rollouts = rollouts;
    this.usageProblem = usageProblem;
    this.clock = clock;
  }

  @Override
  SchedulingPolicyStatus status(SchedulingPolicy policy) {
    String name = policy.getMetadata().getName();
    Optional<PolicyState> state = served.state(name);
    boolean isStored = kept.keep(name);
    long generation = generation(policy);
    @Nullable SchedulingPolicyStatus before = policy.getStatus();
    List<Condition> conditions = before == null ? List.of() : before.conditions();
    Optional<RolloutOutcome> rollout = rollouts.next(policy, state, isStored);
    Finding ready = ready(policy, state, rollout);
    return new SchedulingPolicyStatus(
        generation,
        String.valueOf(generation),
        state.flatMap(PolicyState::serving).orElse(null),
        since(state, before),
        bindings.count(name),
        pods.get().policies().getOrDefault(name, 0),
        waterLevels(name, before == null ? List.of() : before.waterLevels()),
        shadow(policy, before),
        rollout.map(RolloutOutcome::status).orElse(null),
        conditions(name, conditions, ready, rollout, generation));
  }

  private List<Condition> conditions(
      String policy,
      List<Condition> before,
      Finding ready,
      Optional<RolloutOutcome> rollout,
      long generation) {
    Instant now = clock.instant();
    List<Condition> conditions =
        Conditions.of(
            Conditions.ready(before, ready, generation, now),
            Conditions.served(before, ready.isTrue(), "placed", generation, now));
    gauges
        .get()
        .flatMap(readings -> MeasuredLoad.of(policy, readings))
        .map(this::loadMeasured)
        .map(finding -> Conditions.of(Conditions.LOAD_MEASURED, before, finding, generation, now))
        .ifPresent(conditions::add);
    shadowOf(policy)
        .map(ShadowComparison::finding)
        .map(finding -> Conditions.of(Conditions.SHADOWED, before, finding, generation, now))
        .ifPresent(conditions::add);
    rollout
        .flatMap(RolloutOutcome::rolledOut)
        .map(finding -> Conditions.of(Conditions.ROLLED_OUT, before, finding, generation, now))
        .ifPresent(conditions::add);
    return conditions;
  }

  private Optional<ShadowState> shadowOf(String policy) {
    return shadows
        .get()
        .flatMap(all -> all.stream().filter(it -> it.policy().equals(policy)).findFirst());
  }

  /**
   * Returns how the decisions of the shadow differ; until the engine has decided, what the status
   * says.
   */
  private @Nullable ShadowStatus shadow(
      SchedulingPolicy policy, @Nullable SchedulingPolicyStatus before) {
    if (policy.getSpec() == null || policy.getSpec().shadow() == null) {
      return null;
    }
    return shadowOf(policy.getMetadata().getName())
        .map(ShadowComparison::status)
        .orElse(before == null ? null : before.shadow());
  }

  private Finding loadMeasured(double share) {
    if (share == 1) {
      return new Finding(true, "Measured", "every node has a recent usage report");
    }
    String cause = usageProblem.get().map(": "::concat).orElse("");
    return new Finding(
        false,
        share == 0 ? "Unmeasured" : "PartlyMeasured",
        "%d %% of the nodes have a recent usage report, the others are scored by what their pods request%s"
            .formatted((int) (100 * share), cause));
  }

  /**
   * Returns the current water levels; until the engine has readings, those of the status, from
   * which it was initialized.
   */
  private List<WaterLevelStatus> waterLevels(String policy, List<WaterLevelStatus> before) {
    return gauges
        .get()
        .map(readings -> WaterLevels.status(policy, readings, before))
        .orElse(before);
  }

  /**
   * Returns the time since which the revision has served. A new leader's engine loads the same
   * revision again, which must not change this time.
   */
  private static @Nullable String since(
      Optional<PolicyState> state, @Nullable SchedulingPolicyStatus before) {
    Optional<String> serving = state.flatMap(PolicyState::serving);
    if (before != null
        && before.servingSince() != null
        && serving.isPresent()
        && serving.get().equals(before.servingRevision())) {
      return before.servingSince();
    }
    return state.flatMap(PolicyState::since).map(Instant::toString).orElse(null);
  }

  private Finding ready(
      SchedulingPolicy policy, Optional<PolicyState> state, Optional<RolloutOutcome> rollout) {
    String generation = String.valueOf(generation(policy));
    if (state.isEmpty() || !state.get().latest().equals(generation)) {
      return new Finding(
          false, PolicyStanding.PENDING, "revision " + generation + " has not been compiled yet");
    }
    Optional<String> serving = state.get().serving();
    return rollout
        .filter(it -> it.isOfStable(serving))
        .flatMap(RolloutOutcome::notReady)
        .orElseGet(() -> PolicyStanding.of(state.get(), defaultNote(state.get(), policy)));
  }

  private String defaultNote(PolicyState state, SchedulingPolicy policy) {
    if (state.otherDefault().isEmpty()) {
      return review.of(policy).warnings().stream()
          .map(Problem::text)
          .collect(Collectors.joining("\n"));
    }
    String standard = catalog.get().defaultPolicy().map(p -> p.name()).orElse(state.name());
    return "SchedulingPolicy %s is also marked as default; %s is used for pods that name no policy"
        .formatted(state.otherDefault().get(), standard);
  }
}
