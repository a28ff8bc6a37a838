package io.berth.crds.policy;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Required;
import org.jspecify.annotations.Nullable;

/** The state of a WaterLevel priority in one scope. */
@Part
public record WaterLevelStatus(
    @JsonPropertyDescription("The scope: cluster, or a node label and its value, as key=value.")
        @Required
        String scope,
    @JsonPropertyDescription("Pack (full nodes first) or Spread (empty nodes first).") @Required
        WaterLevelMode mode,
    @JsonPropertyDescription("How much of the scope's scarcest resource is requested, in percent.")
        @Nullable Integer levelPercent) {}
