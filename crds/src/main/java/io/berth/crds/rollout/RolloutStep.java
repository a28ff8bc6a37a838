package io.berth.crds.rollout;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.DurationText;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;

/** One step of a rollout. */
@Part
public record RolloutStep(
    @JsonPropertyDescription(
            "The percentage of workloads to which the changed spec applies. Workloads are chosen by"
                + " a hash of the root owner of their pods, such as a Deployment; a group of pods"
                + " counts as one workload.")
        @Required
        @Min(1)
        @Max(100)
        Integer percent,
    @JsonPropertyDescription("The time until the next step, such as 10m.")
        @Required
        @Pattern(DurationText.PATTERN)
        String hold) {}
