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
            "Name of the score, such as ImageLocality; the names of the old Policy file, such as"
                + " LeastRequestedPriority, are known too.")
        @Required
        @Size(min = 1, max = 128)
        String name,
    @JsonPropertyDescription(
            "What the score, 0 to 100, is multiplied by before scores are added. 0 takes one of the"
                + " default set away. Absent: the weight in the default set, else 1.")
        @Min(0)
        @Max(1000000)
        @Nullable Integer weight,
    @JsonPropertyDescription("Whether the score is used. False takes one of the default set away.")
        @Default("true")
        Boolean enabled,
    @JsonPropertyDescription("Arguments of the score; docs/algorithms.md says which each takes.")
        Map<String, JsonNode> args) {

  public PriorityPolicy {
    args = Absent.emptyIfNull(args);
    enabled = Absent.orElse(enabled, true);
  }
}
