package io.berth.crds.template;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A templated expression over a label or field of a node. */
@Part
public record NodeExpressionTemplate(
    @JsonPropertyDescription(TemplateText.IF) @JsonProperty("$if") @Size(max = 8192)
        @Nullable String condition,
    @JsonPropertyDescription("The label key, or the name of the field.") @Required @Size(max = 8192)
        String key,
    @JsonPropertyDescription(
            "The relationship of the key to the values: In, NotIn, Exists, DoesNotExist, Gt, or"
                + " Lt.")
        @Required
        @Pattern(TemplateText.NODE_OPERATOR)
        @Size(max = 8192)
        String operator,
    @JsonPropertyDescription(
            "The values. In and NotIn require at least one value, Exists and DoesNotExist take"
                + " none, and Gt and Lt require a single integer. An item that consists of one"
                + " stringList interpolation expands into the items of that list. Numbers are"
                + " converted to strings.")
        @Size(max = 1024)
        List<String> values) {

  public NodeExpressionTemplate {
    values = Absent.emptyIfNull(values);
  }
}
