package io.berth.crds;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.policy.WaterLevelStatus;
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
            "The metadata.generation that this status speaks of. When it is older than"
                + " metadata.generation, the last change has not been looked at yet.")
        @Nullable Long observedGeneration,
    @JsonPropertyDescription("The revision that the spec asks for.")
        @Nullable String latestRevision,
    @JsonPropertyDescription(
            "The revision that places pods now. It differs from latestRevision while the engine has"
                + " not taken a change yet, or when the latest revision cannot be compiled.")
        @Nullable String servingRevision,
    @JsonPropertyDescription("Since when that revision serves (RFC 3339).")
        @Nullable String servingSince,
    @JsonPropertyDescription("How many SchedulerConfigBindings name this policy.")
        @Nullable Integer bindings,
    @JsonPropertyDescription("How many pods are or were placed by this policy, or wait for it.")
        @Nullable Integer pods,
    @JsonPropertyDescription(
            "The state of the policy's WaterLevel priority, for each scope that it watches.")
        List<WaterLevelStatus> waterLevels,
    @JsonPropertyDescription(
            "What is known of this object. Ready is True when it is in use as written; otherwise"
                + " reason and message say what is wrong and what to do.")
        List<Condition> conditions)
    implements ResourceStatus {

  public SchedulingPolicyStatus {
    waterLevels = Absent.emptyIfNull(waterLevels);
    conditions = Absent.emptyIfNull(conditions);
  }
}
