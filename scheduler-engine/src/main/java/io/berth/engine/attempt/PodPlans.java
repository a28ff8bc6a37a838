package io.berth.engine.attempt;

import io.berth.engine.api.WaitCause;
import io.berth.engine.cycle.Plans;
import io.berth.engine.cycle.ShapePlan;
import io.berth.engine.decision.BoundedText;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.framework.PodShape;
import io.berth.engine.lifecycle.OwnRule;
import io.berth.engine.policy.PolicyTable;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.PodEntry;
import java.util.List;
import java.util.Optional;

/** The plans for placing pods, or the reasons why pods cannot be tried. */
final class PodPlans {
  /** A pod's plan, or the reason why there is none. */
  sealed interface Result {}

  /**
   * The pod can be tried.
   *
   * @param serial the serial number of the policy's revision
   */
  record Ready(int serial, ShapePlan plan) implements Result {}

  /**
   * The pod cannot be tried.
   *
   * @param rule the rule that rejects it
   */
  record Untried(OwnRule rule, String policyName, String revision, String message)
      implements Result {}

  private final ClusterState state;
  private final PolicyTable policies;
  private final Plans plans;

  PodPlans(ClusterState state, PolicyTable policies, Plans plans) {
    this.state = state;
    this.policies = policies;
    this.plans = plans;
  }

  /** Returns what a pod waits for that was rejected by this rule. */
  static WaitCause causeOf(OwnRule rule) {
    return switch (rule) {
      case POLICY -> WaitCause.POLICY_MISSING;
      case NAMESPACE -> WaitCause.POLICY_NOT_ALLOWED;
      case QUEUE -> WaitCause.HELD_BY_QUEUE;
      case GROUP -> WaitCause.NO_ADVICE;
      case NODES, NODE_REQUESTS -> WaitCause.NO_ROOM;
    };
  }

  /** Returns the reason for a pod that could be tried, but is held by its queue. */
  static Untried held(Ready ready, String message) {
    return new Untried(
        OwnRule.QUEUE, ready.plan().policy().name(), ready.plan().policy().revision(), message);
  }

  Result of(PodEntry pod) {
    return of(pod, policies.nameFor(pod.model().policy()), plans::planFor);
  }

  /** Returns the plan by another policy, while the pod's own plan is in use. */
  Result beside(PodEntry pod, String policyName) {
    return of(pod, policyName, plans::planBeside);
  }

  /** Finds or makes the plan for pods of a shape. */
  @FunctionalInterface
  private interface PlanSource {
    ShapePlan plan(int serial, CompiledPolicy policy, PodShape shape);
  }

  private Result of(PodEntry pod, String policyName, PlanSource source) {
    Optional<PolicyTable.Served> served = policies.find(policyName, pod.model());
    String namespace = pod.ref().namespace();
    if (served.isEmpty()) {
      return new Untried(OwnRule.POLICY, policyName, "", missing(namespace, policyName));
    }
    if (!served
        .get()
        .policy()
        .namespaces()
        .allows(namespace, state.namespaces().labelsOf(namespace))) {
      return new Untried(
          OwnRule.NAMESPACE,
          policyName,
          served.get().policy().revision(),
          missing(namespace, policyName));
    }
    if (state.nodes().size() == 0) {
      return new Untried(
          OwnRule.NODES,
          policyName,
          served.get().policy().revision(),
          noNodes(state.census().unreadable()));
    }
    return new Ready(
        served.get().serial(),
        source.plan(
            served.get().serial(),
            served.get().policy(),
            plans.shapeOf(pod, served.get().policy())));
  }

  /**
   * Returns the same message for a policy that does not exist and for one that the namespace may
   * not use, because the owner of the pod reads it.
   */
  private static String missing(String namespace, String policyName) {
    return policyName.isEmpty()
        ? "the pod does not name a SchedulingPolicy, and there is no default: set the annotation"
            + " sched.cloud.ctrip.com/policy"
        : "SchedulingPolicy \"%s\" does not exist, is invalid, or does not allow namespace \"%s\": create it, correct what its status reports, or add the namespace to its spec.allowedNamespaces"
            .formatted(policyName, namespace);
  }

  private static String noNodes(List<String> unreadable) {
    String message = "no nodes available to schedule pods";
    return unreadable.isEmpty()
        ? message
        : message + ": " + unreadable.size() + " " + BoundedText.list(unreadable);
  }
}
