package io.berth.crds.template;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Part;
import io.fabric8.crd.generator.annotation.SchemaFrom;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.api.model.IntOrString;
import org.jspecify.annotations.Nullable;

/** A templated toleration. */
@Part
public record TolerationTemplate(
    @JsonPropertyDescription(TemplateText.IF) @JsonProperty("$if") @Size(max = 8192)
        @Nullable String condition,
    @JsonPropertyDescription(
            "The taint key that the toleration applies to. If not specified, operator must be"
                + " Exists, and all taints match.")
        @Size(max = 8192)
        @Nullable String key,
    @JsonPropertyDescription(
            "The relationship of the key to the value: Exists, Equal, Lt, or Gt. Defaults to Equal."
                + " Lt and Gt compare numbers and require a cluster that supports them.")
        @Pattern(TemplateText.TOLERATION_OPERATOR)
        @Size(max = 8192)
        @Nullable String operator,
    @JsonPropertyDescription(
            "The taint value to match if operator is Equal. Numbers are converted to strings.")
        @SchemaFrom(type = IntOrString.class)
        @Nullable String value,
    @JsonPropertyDescription(
            "The taint effect to match: NoSchedule, PreferNoSchedule, or NoExecute. If not"
                + " specified, all effects match.")
        @Pattern(TemplateText.TAINT_EFFECT)
        @Size(max = 8192)
        @Nullable String effect,
    @JsonPropertyDescription(
            "The number of seconds for which the pod tolerates a taint with effect NoExecute: a"
                + " number, or a template that renders one. If not specified, the pod tolerates the"
                + " taint forever.")
        @Nullable IntOrString tolerationSeconds) {}
