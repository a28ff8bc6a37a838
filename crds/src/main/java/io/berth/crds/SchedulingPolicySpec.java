package io.berth.crds;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.policy.Extender;
import io.berth.crds.policy.GpuPlacement;
import io.berth.crds.policy.PredicatePolicy;
import io.berth.crds.policy.Preemption;
import io.berth.crds.policy.PriorityPolicy;
import io.berth.crds.policy.QuotaGuard;
import io.berth.crds.policy.SharedNodes;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An algorithm set: what filters nodes, what scores them, and with which weights and arguments. */
@Part
public record SchedulingPolicySpec(
    @JsonPropertyDescription(
            "Whether this policy serves the pods that come with schedulerName berth and name no"
                + " policy. Of two default policies the older serves, then the one whose name comes"
                + " first.")
        @JsonProperty("default")
        @Default("false")
        Boolean isDefault,
    @JsonPropertyDescription(
            "Whether predicates and priorities change the default set (true) or are all there is"
                + " (false).")
        @Default("true")
        Boolean inheritDefaults,
    @JsonPropertyDescription(
            "Filters. Each entry replaces the one of the default set with its name. Absent: the"
                + " default set.")
        @Size(max = 64)
        List<PredicatePolicy> predicates,
    @JsonPropertyDescription(
            "Scores. Each entry replaces the one of the default set with its name. Absent: the"
                + " default set.")
        @Size(max = 64)
        List<PriorityPolicy> priorities,
    @JsonPropertyDescription(
            "How much a running pod's required affinity to the incoming pod counts when nodes are"
                + " scored, 0 to 100.")
        @Min(0)
        @Max(100)
        @Default("1")
        Integer hardPodAffinitySymmetricWeight,
    @JsonPropertyDescription(
            "Whether a node is checked by all filters although one has refused it, so that events"
                + " list every reason.")
        @Default("false")
        Boolean alwaysCheckAllPredicates,
    @JsonPropertyDescription(
            "The search for nodes ends when so many percent of the nodes have been found feasible"
                + " (but at least 100), and the next pod's begins where it ended. 100 scores every"
                + " feasible node, which costs Berth little; 0 means 50 less one for each 125"
                + " nodes, at least 5, as in kube-scheduler.")
        @Min(0)
        @Max(100)
        @Default("100")
        Integer percentageOfNodesToScore,
    @JsonPropertyDescription(
            "Services that are asked over HTTP to filter, score, preempt or bind, as the extenders"
                + " of kube-scheduler are.")
        @Size(max = 16)
        List<Extender> extenders,
    @JsonPropertyDescription(
            "Which pods may be evicted for pods of this policy, and how many. Absent: pods of lower"
                + " priority, without limits, but none of a DaemonSet.")
        @Nullable Preemption preemption,
    @JsonPropertyDescription(
            "How pods that ask for GPUs, or for parts of one, are placed on cards. Absent: with the"
                + " defaults of its fields.")
        @Nullable GpuPlacement gpu,
    @JsonPropertyDescription(
            "PriorityClasses that only namespaces with a ResourceQuota for them may use. It holds"
                + " for the pods of all policies.")
        @Nullable QuotaGuard quotaGuard,
    @JsonPropertyDescription("Which namespaces may use this object. Absent: all.")
        @Nullable AllowedNamespaces allowedNamespaces,
    @JsonPropertyDescription(
            "Trust: nodes are Berth's alone. Verify: another scheduler may bind pods to the same"
                + " nodes; Berth reads a node back from the API server after binding there, and"
                + " evicts the youngest pods of this policy where all of them together ask for"
                + " more than the node has.")
        @Default("Trust")
        SharedNodes sharedNodes) {

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

  /** The spec of a policy that says nothing: the default set. */
  public static SchedulingPolicySpec defaults() {
    return of(List.of(), List.of());
  }

  /** The default set with these entries replacing their namesakes. */
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
        SharedNodes.TRUST);
  }

  /** Returns this spec with another placement of GPUs. */
  public SchedulingPolicySpec withGpu(GpuPlacement other) {
    return new SchedulingPolicySpec(
        isDefault,
        inheritDefaults,
        predicates,
        priorities,
        hardPodAffinitySymmetricWeight,
        alwaysCheckAllPredicates,
        percentageOfNodesToScore,
        extenders,
        preemption,
        other,
        quotaGuard,
        allowedNamespaces,
        sharedNodes);
  }

  /** Returns the rules of preemption for pods of this policy, with defaults for absent fields. */
  public Preemption effectivePreemption() {
    return preemption == null ? Preemption.defaults() : preemption;
  }
}
