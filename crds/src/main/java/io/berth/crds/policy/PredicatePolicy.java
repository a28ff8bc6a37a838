package io.berth.crds.policy;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.Map;

/** A filter of a policy. */
@Part
public record PredicatePolicy(
    @JsonPropertyDescription(
            "The name of the filter, such as NodeResourcesFit. Names from the legacy Policy file,"
                + " such as PodFitsResources, are also accepted.")
        @Required
        @Size(min = 1, max = 128)
        String name,
    @JsonPropertyDescription(
            "Specifies whether the filter is enabled. false removes a filter of the default set;"
                + " NodeName, NodeAffinity, NodePorts, NodeResourcesFit, and GpuCards cannot be"
                + " removed.")
        @Default("true")
        Boolean enabled,
    @JsonPropertyDescription("The arguments of the filter, as listed in docs/algorithms.md.")
        Map<String, JsonNode> args) {

  public PredicatePolicy {
    args = Absent.emptyIfNull(args);
    enabled = Absent.orElse(enabled, true);
  }
}
