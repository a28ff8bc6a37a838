package io.berth.crds.template;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A templated node selector term; all its expressions must match. */
@Part
public record NodeTermTemplate(
    @JsonPropertyDescription(TemplateText.IF) @JsonProperty("$if") @Size(max = 8192)
        @Nullable String condition,
    @JsonPropertyDescription(
            "The node selector requirements by node labels. All of them must match.")
        @Size(max = 64)
        List<NodeExpressionTemplate> matchExpressions,
    @JsonPropertyDescription(
            "The node selector requirements by node fields. All of them must match. The only"
                + " supported field is metadata.name.")
        @Size(max = 64)
        List<NodeExpressionTemplate> matchFields) {

  public NodeTermTemplate {
    matchExpressions = Absent.emptyIfNull(matchExpressions);
    matchFields = Absent.emptyIfNull(matchFields);
  }
}
