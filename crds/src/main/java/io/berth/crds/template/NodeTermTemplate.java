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
    @JsonPropertyDescription("Expressions over the labels of the node, all of which must match.")
        @Size(max = 64)
        List<NodeExpressionTemplate> matchExpressions,
    @JsonPropertyDescription(
            "Expressions over the fields of the node, all of which must match. Kubernetes knows the"
                + " field metadata.name.")
        @Size(max = 64)
        List<NodeExpressionTemplate> matchFields) {

  public NodeTermTemplate {
    matchExpressions = Absent.emptyIfNull(matchExpressions);
    matchFields = Absent.emptyIfNull(matchFields);
  }
}
