package io.berth.crds.template;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A templated label selector. */
@Part
public record LabelSelectorTemplate(
    @JsonPropertyDescription(TemplateText.IF) @JsonProperty("$if") @Size(max = 8192)
        @Nullable String condition,
    @JsonPropertyDescription(
            "Labels and their values, all of which must match. A number is taken as its digits.")
        Map<String, String> matchLabels,
    @JsonPropertyDescription("Expressions over labels, all of which must match.") @Size(max = 64)
        List<LabelExpressionTemplate> matchExpressions) {

  public LabelSelectorTemplate {
    matchExpressions = Absent.emptyIfNull(matchExpressions);
    matchLabels = Absent.emptyIfNull(matchLabels);
  }
}
