package io.berth.crds.rollout;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import org.jspecify.annotations.Nullable;

/** The results at which a rollout is aborted. */
@Part
public record AbortWhen(
    @JsonPropertyDescription(
            "The limit for pods that fit nowhere, in percentage points above the share of those"
                + " pods under the last complete revision in the same time. It applies once 20 pods"
                + " are counted for the changed spec.")
        @Min(0)
        @Max(100)
        @Nullable Integer unschedulableAbove,
    @JsonPropertyDescription(
            "The limit for pods that are denied, in percentage points above the share of those pods"
                + " under the last complete revision in the same time. It applies once 20 pods are"
                + " counted for the changed spec.")
        @Min(0)
        @Max(100)
        @Nullable Integer deniedAbove) {}
