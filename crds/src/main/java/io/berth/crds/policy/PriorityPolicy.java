package io.berth.crds.policy;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A score of a policy, and its weight. */
@Part
public record PriorityPolicy(
    @JsonPropertyDescription(
            "The name of the score, such as ImageLocality. Names from the legacy Policy file, such"
                + " as LeastRequestedPriority, are also accepted.")
        @Required
        @Size(min = 1, max = 128)
        String name,
    @JsonPropertyDescription(
            "The weight by which the score, 0 to 100, is multiplied before the scores are summed. 0"
                + " removes a score of the default set. Defaults to the weight in the default set,"
                + " or 1 for other scores.")
        @Min(0)
        @Max(1000000)
        @Nullable Integer weight,
    @JsonPropertyDescription(
            "Specifies whether the score is enabled. false removes a score of the default set.")
        @Default("true")
        Boolean enabled,
    @JsonPropertyDescription("The arguments of the score, as listed in docs/algorithms.md.")
        Map<String, JsonNode> args) {

  public PriorityPolicy {
    args = Absent.emptyIfNull(args);
    enabled = Absent.orElse(enabled, true);
  }
}
