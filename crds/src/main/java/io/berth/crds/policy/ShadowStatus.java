package io.berth.crds.policy;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Required;
import org.jspecify.annotations.Nullable;

/** The differences between the decisions of a shadow and those of its policy. */
@Part
public record ShadowStatus(
    @JsonPropertyDescription("The name of the policy that is tried.") @Required String policy,
    @JsonPropertyDescription("The revision of the policy that is tried.") @Nullable String revision,
    @JsonPropertyDescription(
            "The time since which pods are counted, in RFC 3339 format. Counting starts again when"
                + " one of the two policies changes, and with a new leader.")
        @Nullable String since,
    @JsonPropertyDescription("The number of pods for which both policies were tried.") @Required
        Long compared,
    @JsonPropertyDescription(
            "The number of compared pods for which both policies selected the same node, or no"
                + " node.")
        @Required
        Long same,
    @JsonPropertyDescription(
            "The number of compared pods that the shadow would have placed on another node.")
        @Required
        Long elsewhere,
    @JsonPropertyDescription(
            "The number of compared pods that the shadow could only have placed by evicting others,"
                + " and that were placed without evictions.")
        @Required
        Long evicting,
    @JsonPropertyDescription(
            "The number of compared pods that were placed, and that would have fitted nowhere.")
        @Required
        Long fitNowhere,
    @JsonPropertyDescription(
            "The number of compared pods that fitted nowhere, and that the shadow would have"
                + " placed.")
        @Required
        Long fitInstead,
    @JsonPropertyDescription(
            "The number of pods for which the shadow failed, because a plugin failed or the pod was"
                + " too complex.")
        @Required
        Long failed,
    @JsonPropertyDescription(
            "The number of pods that were chosen and not compared, to limit the additional work.")
        @Required
        Long skipped,
    @JsonPropertyDescription(
            "The work for the shadow, in percent of the work for all decisions of this policy.")
        @Required
        Integer workPercent) {}
