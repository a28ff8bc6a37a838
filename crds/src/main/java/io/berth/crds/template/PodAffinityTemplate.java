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
    @JsonPropertyDescription("Terms that must hold, all of them, for a node to be chosen.")
        @Size(max = 64)
        List<PodTermTemplate> requiredDuringSchedulingIgnoredDuringExecution,
    @JsonPropertyDescription("Terms that should hold, each with a weight.") @Size(max = 64)
        List<WeightedPodTermTemplate> preferredDuringSchedulingIgnoredDuringExecution) {

  public PodAffinityTemplate {
    requiredDuringSchedulingIgnoredDuringExecution =
        Absent.emptyIfNull(requiredDuringSchedulingIgnoredDuringExecution);
    preferredDuringSchedulingIgnoredDuringExecution =
        Absent.emptyIfNull(preferredDuringSchedulingIgnoredDuringExecution);
  }
}
