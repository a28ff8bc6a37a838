package io.berth.crds;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.policy.ShadowStatus;
import io.berth.crds.policy.WaterLevelStatus;
import io.berth.crds.rollout.RolloutStatus;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.berth.crds.schema.ResourceStatus;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The state of a SchedulingPolicy. */
@Part
public record SchedulingPolicyStatus(
    @JsonPropertyDescription(
            "The most recent metadata.generation that Berth has observed. If it is lower than"
                + " metadata.generation, Berth has not processed the latest change yet.")
        @Nullable Long observedGeneration,
    @JsonPropertyDescription("The revision of the current spec.") @Nullable String latestRevision,
    @JsonPropertyDescription(
            "The revision that currently schedules pods. It differs from latestRevision if the"
                + " engine has not applied the latest change yet or if the latest revision does not"
                + " compile.")
        @Nullable String servingRevision,
    @JsonPropertyDescription(
            "The time from which servingRevision has been in use, in RFC 3339 format.")
        @Nullable String servingSince,
    @JsonPropertyDescription("The number of SchedulerConfigBindings that reference this policy.")
        @Nullable Integer bindings,
    @JsonPropertyDescription(
            "The number of pods that this policy has scheduled or that are waiting to be scheduled"
                + " by it.")
        @Nullable Integer pods,
    @JsonPropertyDescription("The state of the WaterLevel priority in each of its scopes.")
        List<WaterLevelStatus> waterLevels,
    @JsonPropertyDescription(
            "How the decisions of the policy in spec.shadow differ from those of this policy.")
        @Nullable ShadowStatus shadow,
    @JsonPropertyDescription("The rollout of the latest change, if spec.rollout is set.")
        @Nullable RolloutStatus rollout,
    @JsonPropertyDescription(
            "The current conditions of this object. Ready is True if the object is in effect as"
                + " written; otherwise, reason and message describe the problem and how to fix it.")
        List<Condition> conditions)
    implements ResourceStatus {

  public SchedulingPolicyStatus {
    waterLevels = Absent.emptyIfNull(waterLevels);
    conditions = Absent.emptyIfNull(conditions);
  }
}
