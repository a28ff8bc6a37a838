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
            "The required labels and their values. All of them must match. Numbers are converted to"
                + " strings.")
        Map<String, String> matchLabels,
    @JsonPropertyDescription("The label selector requirements. All of them must match.")
        @Size(max = 64)
        List<LabelExpressionTemplate> matchExpressions) {

  public LabelSelectorTemplate {
    matchExpressions = Absent.emptyIfNull(matchExpressions);
    matchLabels = Absent.emptyIfNull(matchLabels);
  }
}
