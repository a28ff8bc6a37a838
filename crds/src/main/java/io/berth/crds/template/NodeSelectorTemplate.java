package io.berth.crds.template;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A templated list of node selector terms, at least one of which must match. */
@Part
public record NodeSelectorTemplate(
    @JsonPropertyDescription(TemplateText.IF) @JsonProperty("$if") @Size(max = 8192)
        @Nullable String condition,
    @JsonPropertyDescription(
            "The node selector terms. A node must match at least one of them. A term without"
                + " expressions matches no node.")
        @Required
        @Size(min = 1, max = 64)
        List<NodeTermTemplate> nodeSelectorTerms) {

  public NodeSelectorTemplate {
    nodeSelectorTerms = Absent.emptyIfNull(nodeSelectorTerms);
  }
}
