package io.berth.crds.policy;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Required;
import org.jspecify.annotations.Nullable;

/** The state of a WaterLevel priority in one scope. */
@Part
public record WaterLevelStatus(
    @JsonPropertyDescription("The scope: cluster, or a node label in the form key=value.") @Required
        String scope,
    @JsonPropertyDescription(
            "The current mode: Pack (fullest nodes first) or Spread (emptiest nodes first).")
        @Required
        WaterLevelMode mode,
    @JsonPropertyDescription(
            "The requested share of the scarcest resource in the scope, in percent.")
        @Nullable Integer levelPercent) {}
