package io.berth.crds;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.LabelSelector;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The namespaces that may use a config or policy, by name or by label selector. */
@ValidationRule(
    value = "has(self.names) && size(self.names) > 0 || has(self.selector)",
    message = "set names or selector, or remove allowedNamespaces to allow all namespaces")
@Part
public record AllowedNamespaces(
    @JsonPropertyDescription("Names of the namespaces that may use this object.") @Size(max = 256)
        List<String> names,
    @JsonPropertyDescription(
            "A label query over namespaces. Namespaces that match may use this object, in addition"
                + " to those in names.")
        @Nullable LabelSelector selector) {

  public AllowedNamespaces {
    names = Absent.emptyIfNull(names);
  }
}
