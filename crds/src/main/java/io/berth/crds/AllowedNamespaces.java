package io.berth.crds;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.LabelSelector;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The namespaces that may use a config or policy: those named, and those that the selector matches.
 */
@ValidationRule(
    value = "has(self.names) && size(self.names) > 0 || has(self.selector)",
    message =
        "list namespaces in names, or give a selector; leave allowedNamespaces out to allow all")
@Part
public record AllowedNamespaces(
    @JsonPropertyDescription("Names of namespaces that may use this object.") @Size(max = 256)
        List<String> names,
    @JsonPropertyDescription(
            "Namespaces with these labels may use this object, as well as the named ones.")
        @Nullable LabelSelector selector) {

  public AllowedNamespaces {
    names = Absent.emptyIfNull(names);
  }
}
