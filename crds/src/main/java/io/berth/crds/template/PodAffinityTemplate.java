package io.berth.crds.template;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A templated podAffinity or podAntiAffinity. */
@Part
public record PodAffinityTemplate(
    @JsonPropertyDescription(TemplateText.IF) @JsonProperty("$if") @Size(max = 8192)
        @Nullable String condition,
    @JsonPropertyDescription(
            "The terms that a node must satisfy, all of them, for the pod to be placed on it.")
        @Size(max = 64)
        List<PodTermTemplate> requiredDuringSchedulingIgnoredDuringExecution,
    @JsonPropertyDescription("The preferred terms, each with a weight.") @Size(max = 64)
        List<WeightedPodTermTemplate> preferredDuringSchedulingIgnoredDuringExecution) {

  public PodAffinityTemplate {
    requiredDuringSchedulingIgnoredDuringExecution =
        Absent.emptyIfNull(requiredDuringSchedulingIgnoredDuringExecution);
    preferredDuringSchedulingIgnoredDuringExecution =
        Absent.emptyIfNull(preferredDuringSchedulingIgnoredDuringExecution);
  }
}
