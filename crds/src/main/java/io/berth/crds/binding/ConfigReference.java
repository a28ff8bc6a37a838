package io.berth.crds.binding;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.DnsName;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.Map;

/** A reference to a config by name, with arguments for its parameters. */
@Part
public record ConfigReference(
    @JsonPropertyDescription("The name of the config.")
        @Required
        @Size(min = 1, max = 253)
        @Pattern(DnsName.SUBDOMAIN)
        String name,
    @JsonPropertyDescription(
            "The arguments, keyed by parameter name. Each must be of the parameter's type.")
        Map<String, JsonNode> args) {

  public ConfigReference {
    args = Absent.emptyIfNull(args);
  }
}
