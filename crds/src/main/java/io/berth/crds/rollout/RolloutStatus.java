package io.berth.crds.rollout;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Required;
import org.jspecify.annotations.Nullable;

/** The state of a rollout, from which every replica derives which revision applies to a pod. */
@Part
public record RolloutStatus(
    @JsonPropertyDescription(
            "Progressing, Paused, Complete, or Aborted: the changed spec applies to no workload.")
        @Required
        RolloutPhase phase,
    @JsonPropertyDescription("The revision that is rolled out.") @Required String revision,
    @JsonPropertyDescription(
            "The hash of the spec that is rolled out. It does not cover spec.rollout.")
        @Required
        String specHash,
    @JsonPropertyDescription("The number of the current step, beginning at 1; 0 outside of steps.")
        @Required
        Integer step,
    @JsonPropertyDescription(
            "The current step as text, such as 1/2 (5%) for 5 percent of the workloads in the first"
                + " of two steps.")
        @Required
        String progress,
    @JsonPropertyDescription("The percentage of workloads to which this revision applies.")
        @Required
        Integer percent,
    @JsonPropertyDescription("The time at which the rollout began, in RFC 3339 format.")
        @Nullable String began,
    @JsonPropertyDescription(
            "The revision with which the rollout began. Later ones up to the revision that is"
                + " rolled out have the same hash.")
        @Nullable String beganRevision,
    @JsonPropertyDescription("The time at which the current step began, in RFC 3339 format.")
        @Nullable String stepSince,
    @JsonPropertyDescription("The revision that applies to the other workloads.")
        @Nullable String stableRevision,
    @JsonPropertyDescription("The hash of the spec that applies to the other workloads.")
        @Nullable String stableSpecHash,
    @JsonPropertyDescription(
            "The hash of the spec that was complete before this one. A change back to it takes"
                + " effect at once.")
        @Nullable String previousSpecHash,
    @JsonPropertyDescription("The results of this revision since the rollout began.")
        @Nullable RolloutCounts canary,
    @JsonPropertyDescription(
            "The results of the other revision since the rollout began, on the workloads that it"
                + " still applies to.")
        @Nullable RolloutCounts stable) {}
