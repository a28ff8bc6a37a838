package io.berth.crds.template;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A templated nodeAffinity. */
@Part
public record NodeAffinityTemplate(
    @JsonPropertyDescription(TemplateText.IF) @JsonProperty("$if") @Size(max = 8192)
        @Nullable String condition,
    @JsonPropertyDescription("The nodes on which the pod must be placed.")
        @Nullable NodeSelectorTemplate requiredDuringSchedulingIgnoredDuringExecution,
    @JsonPropertyDescription(
            "The nodes on which the pod is preferably placed, each term with a weight.")
        @Size(max = 64)
        List<PreferredNodeTermTemplate> preferredDuringSchedulingIgnoredDuringExecution) {

  public NodeAffinityTemplate {
    preferredDuringSchedulingIgnoredDuringExecution =
        Absent.emptyIfNull(preferredDuringSchedulingIgnoredDuringExecution);
  }
}
