package io.berth.crds.binding;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Required;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Another binding that reaches some of the same pods and says something else. */
@Part
public record BindingConflict(
    @JsonPropertyDescription("Namespace of the other binding.") @Required String namespace,
    @JsonPropertyDescription("Name of the other binding.") @Required String name,
    @JsonPropertyDescription("The fields that both bindings set.") @Required
        List<BindingField> fields,
    @JsonPropertyDescription("How many pods both reach.") @Nullable Integer pods,
    @JsonPropertyDescription(
            "What decided: the standing of the bindings, their priority, age or name.")
        @Nullable String reason) {

  public BindingConflict {
    fields = Absent.emptyIfNull(fields);
  }
}
