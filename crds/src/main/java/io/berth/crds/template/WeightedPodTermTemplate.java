package io.berth.crds.template;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.api.model.IntOrString;
import org.jspecify.annotations.Nullable;

/** A templated pod affinity term with a weight. */
@Part
public record WeightedPodTermTemplate(
    @JsonPropertyDescription(TemplateText.IF) @JsonProperty("$if") @Size(max = 8192)
        @Nullable String condition,
    @JsonPropertyDescription(
            "The weight of the term: a number in the range 1 to 100, or a template that renders"
                + " one.")
        @Required
        IntOrString weight,
    @JsonPropertyDescription("The pod affinity term.") @Required PodTermTemplate podAffinityTerm) {}
