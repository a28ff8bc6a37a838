package io.berth.crds;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.policy.Extender;
import io.berth.crds.policy.GpuPlacement;
import io.berth.crds.policy.PredicatePolicy;
import io.berth.crds.policy.Preemption;
import io.berth.crds.policy.PriorityPolicy;
import io.berth.crds.policy.QuotaGuard;
import io.berth.crds.policy.Shadow;
import io.berth.crds.policy.SharedNodes;
import io.berth.crds.rollout.GradualRollout;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A set of scheduling algorithms: filters and scores with their weights and arguments. */
@Part
public record SchedulingPolicySpec(
    @JsonPropertyDescription(
            "Specifies whether this is the default policy, which schedules pods that have"
                + " schedulerName berth and name no policy. If several policies are marked as"
                + " default, the oldest is used; if they are equally old, the first by name.")
        @JsonProperty("default")
        @Default("false")
        Boolean isDefault,
    @JsonPropertyDescription(
            "Specifies whether predicates and priorities modify the default set (true) or replace"
                + " it (false).")
        @Default("true")
        Boolean inheritDefaults,
    @JsonPropertyDescription(
            "The filters. Each entry replaces the filter of the default set with the same name. If"
                + " not specified, the default set is used.")
        @Size(max = 64)
        List<PredicatePolicy> predicates,
    @JsonPropertyDescription(
            "The scores. Each entry replaces the score of the default set with the same name. If"
                + " not specified, the default set is used.")
        @Size(max = 64)
        List<PriorityPolicy> priorities,
    @JsonPropertyDescription(
            "The weight of an existing pod's required affinity to the incoming pod when nodes are"
                + " scored, in the range 0 to 100.")
        @Min(0)
        @Max(100)
        @Default("1")
        Integer hardPodAffinitySymmetricWeight,
    @JsonPropertyDescription(
            "Specifies whether all filters run for a node even after one has rejected it, so that"
                + " events list every reason.")
        @Default("false")
        Boolean alwaysCheckAllPredicates,
    @JsonPropertyDescription(
            "The percentage of nodes that the search for feasible nodes must find before it stops."
                + " The minimum is 100 nodes. The search for the next pod starts where the previous"
                + " one stopped. 100 scores every feasible node, at little cost in Berth. 0 uses"
                + " the percentage that kube-scheduler computes: 50, minus 1 for every 125 nodes,"
                + " but at least 5.")
        @Min(0)
        @Max(100)
        @Default("100")
        Integer percentageOfNodesToScore,
    @JsonPropertyDescription(
            "The scheduler extenders: HTTP services that filter, score, preempt, or bind, with the"
                + " protocol of kube-scheduler's extenders.")
        @Size(max = 16)
        List<Extender> extenders,
    @JsonPropertyDescription(
            "The rules of preemption for pods of this policy. If not specified, pods of lower"
                + " priority may be evicted without limits, except for pods of DaemonSets.")
        @Nullable Preemption preemption,
    @JsonPropertyDescription(
            "The placement of pods that request GPUs, or fractions of a GPU, on cards. If not"
                + " specified, the defaults of its fields apply.")
        @Nullable GpuPlacement gpu,
    @JsonPropertyDescription(
            "The PriorityClasses that only namespaces with a ResourceQuota for them may use. It"
                + " applies to the pods of all policies.")
        @Nullable QuotaGuard quotaGuard,
    @JsonPropertyDescription(
            "The namespaces that may use this object. If not specified, all namespaces may use it.")
        @Nullable AllowedNamespaces allowedNamespaces,
    @JsonPropertyDescription(
            "Specifies whether other schedulers bind pods to the same nodes. Trust assumes that"
                + " only Berth does. Verify reads each node back from the API server after a"
                + " binding and, if the pods on it request more than the node's allocatable"
                + " resources, evicts the youngest pods of this policy.")
        @Default("Trust")
        SharedNodes sharedNodes,
    @JsonPropertyDescription(
            "Another policy that is tried for a part of this policy's pods, without effect. The"
                + " status says how its decisions differ.")
        @Nullable Shadow shadow,
    @JsonPropertyDescription(
            "The steps in which a change of this spec takes effect. If not specified, a change"
                + " takes effect at once. default and quotaGuard concern pods of other policies,"
                + " too, and always take effect at once.")
        @Nullable GradualRollout rollout) {

  public SchedulingPolicySpec {
    predicates = Absent.emptyIfNull(predicates);
    priorities = Absent.emptyIfNull(priorities);
    extenders = Absent.emptyIfNull(extenders);
    isDefault = Absent.orElse(isDefault, false);
    inheritDefaults = Absent.orElse(inheritDefaults, true);
    hardPodAffinitySymmetricWeight = Absent.orElse(hardPodAffinitySymmetricWeight, 1);
    alwaysCheckAllPredicates = Absent.orElse(alwaysCheckAllPredicates, false);
    percentageOfNodesToScore = Absent.orElse(percentageOfNodesToScore, 100);
    sharedNodes = Absent.orElse(sharedNodes, SharedNodes.TRUST);
  }

  /** Returns the spec of a policy that sets no field, which uses the default set. */
  public static SchedulingPolicySpec defaults() {
    return of(List.of(), List.of());
  }

  /** Returns the default set, in which these entries replace those of the same name. */
  public static SchedulingPolicySpec of(
      List<PredicatePolicy> predicates, List<PriorityPolicy> priorities) {
    return new SchedulingPolicySpec(
        false,
        true,
        predicates,
        priorities,
        1,
        false,
        100,
        List.of(),
        null,
        null,
        null,
        null,
        SharedNodes.TRUST,
        null,
        null);
  }

  /** Returns a copy of this spec with another percentage of nodes to score. */
  public SchedulingPolicySpec withPercentageOfNodesToScore(int percentage) {
    return copy(percentage, gpu, allowedNamespaces, shadow, rollout);
  }

  /** Returns a copy of this spec with the GPU placement replaced. */
  public SchedulingPolicySpec withGpu(GpuPlacement other) {
    return copy(percentageOfNodesToScore, other, allowedNamespaces, shadow, rollout);
  }

  /** Returns a copy of this spec that only these namespaces may use; null for all namespaces. */
  public SchedulingPolicySpec withAllowedNamespaces(@Nullable AllowedNamespaces allowed) {
    return copy(percentageOfNodesToScore, gpu, allowed, shadow, rollout);
  }

  /** Returns a copy of this spec with another shadow; null for none. */
  public SchedulingPolicySpec withShadow(@Nullable Shadow other) {
    return copy(percentageOfNodesToScore, gpu, allowedNamespaces, other, rollout);
  }

  /** Returns a copy of this spec with another rollout; null for changes that apply at once. */
  public SchedulingPolicySpec withRollout(@Nullable GradualRollout other) {
    return copy(percentageOfNodesToScore, gpu, allowedNamespaces, shadow, other);
  }

  private SchedulingPolicySpec copy(
      int percentage,
      @Nullable GpuPlacement placement,
      @Nullable AllowedNamespaces allowed,
      @Nullable Shadow tried,
      @Nullable GradualRollout steps) {
    return new SchedulingPolicySpec(
        isDefault,
        inheritDefaults,
        predicates,
        priorities,
        hardPodAffinitySymmetricWeight,
        alwaysCheckAllPredicates,
        percentage,
        extenders,
        preemption,
        placement,
        quotaGuard,
        allowed,
        sharedNodes,
        tried,
        steps);
  }

  /** Returns the rules of preemption for pods of this policy, with defaults for absent fields. */
  public Preemption effectivePreemption() {
    return preemption == null ? Preemption.defaults() : preemption;
  }
}
