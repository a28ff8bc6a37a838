package io.berth.crds.binding;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** The nodes on which the pods of a group are to be together. */
@Part
public record GroupTopologyRule(
    @JsonPropertyDescription("A node label, such as topology.kubernetes.io/rack.")
        @Required
        @Size(min = 1, max = 317)
        String key,
    @JsonPropertyDescription(
            "Required: all pods on nodes with one value of the label. Preferred: as few values as"
                + " possible.")
        @Default("Preferred")
        GroupTopologyMode mode) {

  public GroupTopologyRule {
    mode = Absent.orElse(mode, GroupTopologyMode.PREFERRED);
  }
}
