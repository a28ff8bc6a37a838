package io.berth.crds.binding;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Required;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Another binding that selects some of the same pods and sets the same fields differently. */
@Part
public record BindingConflict(
    @JsonPropertyDescription("The namespace of the other binding.") @Required String namespace,
    @JsonPropertyDescription("The name of the other binding.") @Required String name,
    @JsonPropertyDescription("The fields that both bindings set.") @Required
        List<BindingField> fields,
    @JsonPropertyDescription("The number of pods that both bindings select.")
        @Nullable Integer pods,
    @JsonPropertyDescription(
            "The reason for the outcome: the precedence, priority, age, or name of the bindings.")
        @Nullable String reason) {

  public BindingConflict {
    fields = Absent.emptyIfNull(fields);
  }
}
