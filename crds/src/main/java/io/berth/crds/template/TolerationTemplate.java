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
    @JsonPropertyDescription("The taint's key. Absent, with operator Exists: every taint.")
        @Size(max = 8192)
        @Nullable String key,
    @JsonPropertyDescription(
            "Exists, or Equal (the default). Lt and Gt compare numbers, where the cluster knows"
                + " them.")
        @Pattern(TemplateText.TOLERATION_OPERATOR)
        @Size(max = 8192)
        @Nullable String operator,
    @JsonPropertyDescription("The taint's value, for Equal. A number is taken as its digits.")
        @SchemaFrom(type = IntOrString.class)
        @Nullable String value,
    @JsonPropertyDescription("NoSchedule, PreferNoSchedule or NoExecute. Absent: all of them.")
        @Pattern(TemplateText.TAINT_EFFECT)
        @Size(max = 8192)
        @Nullable String effect,
    @JsonPropertyDescription(
            "For effect NoExecute, how many seconds the pod stays after the taint has come: a"
                + " number, or a template that renders one. Absent: without a limit.")
        @Nullable IntOrString tolerationSeconds) {}
