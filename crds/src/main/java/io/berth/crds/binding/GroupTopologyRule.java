package io.berth.crds.binding;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** The topology domain in which the pods of a group are placed together. */
@Part
public record GroupTopologyRule(
    @JsonPropertyDescription(
            "The key of a node label whose values are the topology domains, such as"
                + " topology.kubernetes.io/rack.")
        @Required
        @Size(min = 1, max = 317)
        String key,
    @JsonPropertyDescription(
            "Specifies how strictly the pods are kept together. Required places all pods on nodes"
                + " with the same value of the label. Preferred uses as few values as possible.")
        @Default("Preferred")
        GroupTopologyMode mode) {

  public GroupTopologyRule {
    mode = Absent.orElse(mode, GroupTopologyMode.PREFERRED);
  }
}
