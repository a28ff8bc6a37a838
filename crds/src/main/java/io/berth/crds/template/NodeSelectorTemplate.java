package io.berth.crds.template;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A templated list of node selector terms, of which one must match. */
@Part
public record NodeSelectorTemplate(
    @JsonPropertyDescription(TemplateText.IF) @JsonProperty("$if") @Size(max = 8192)
        @Nullable String condition,
    @JsonPropertyDescription(
            "The terms; a node that matches one of them will do. A term without expressions matches"
                + " no node.")
        @Required
        @Size(min = 1, max = 64)
        List<NodeTermTemplate> nodeSelectorTerms) {

  public NodeSelectorTemplate {
    nodeSelectorTerms = Absent.emptyIfNull(nodeSelectorTerms);
  }
}
