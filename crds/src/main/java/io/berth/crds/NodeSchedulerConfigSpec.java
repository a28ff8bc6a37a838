package io.berth.crds;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.berth.crds.template.NodeAffinityTemplate;
import io.berth.crds.template.TolerationTemplate;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A node affinity and tolerations with parameters in them. */
@ValidationRule(
    value = "has(self.nodeAffinity) || has(self.tolerations)",
    message = "give a nodeAffinity, tolerations, or both: this config says nothing")
@Part
public record NodeSchedulerConfigSpec(
    @JsonPropertyDescription(
            "The parameters that the template reads. A config that declares none takes the names"
                + " its template uses, as required strings.")
        @Size(max = 64)
        List<Parameter> parameters,
    @JsonPropertyDescription(
            "The nodes that pods need or prefer: a Kubernetes nodeAffinity in which any string may"
                + " hold ${Name} or \"{{.Name}}\" (quoted).")
        @Nullable NodeAffinityTemplate nodeAffinity,
    @JsonPropertyDescription("Tolerations to add to pods, templated as nodeAffinity is.")
        @Size(max = 64)
        List<TolerationTemplate> tolerations,
    @JsonPropertyDescription("Which namespaces may use this object. Absent: all.")
        @Nullable AllowedNamespaces allowedNamespaces) {

  public NodeSchedulerConfigSpec {
    parameters = Absent.emptyIfNull(parameters);
    tolerations = Absent.emptyIfNull(tolerations);
  }
}
