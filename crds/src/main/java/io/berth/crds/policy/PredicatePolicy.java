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
            "Name of the filter, such as NodeResourcesFit; the names of the old Policy file, such"
                + " as PodFitsResources, are known too.")
        @Required
        @Size(min = 1, max = 128)
        String name,
    @JsonPropertyDescription(
            "Whether the filter is used. False takes one of the default set away, but for NodeName,"
                + " NodeAffinity, NodePorts and NodeResourcesFit.")
        @Default("true")
        Boolean enabled,
    @JsonPropertyDescription("Arguments of the filter; docs/algorithms.md says which each takes.")
        Map<String, JsonNode> args) {

  public PredicatePolicy {
    args = Absent.emptyIfNull(args);
    enabled = Absent.orElse(enabled, true);
  }
}
