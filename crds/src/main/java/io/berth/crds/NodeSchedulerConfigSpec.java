package io.berth.crds;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.rollout.GradualRollout;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.berth.crds.template.NodeAffinityTemplate;
import io.berth.crds.template.TolerationTemplate;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A template of a node affinity and tolerations, and its parameters. */
@ValidationRule(
    value = "has(self.nodeAffinity) || has(self.tolerations)",
    message = "set nodeAffinity, tolerations, or both: this config has no effect")
@Part
public record NodeSchedulerConfigSpec(
    @JsonPropertyDescription(
            "The parameters of the template. If none are declared, every name that the template"
                + " uses is a required parameter of type string.")
        @Size(max = 64)
        List<Parameter> parameters,
    @JsonPropertyDescription(
            "The node affinity to add to pods: a Kubernetes nodeAffinity in which any string may"
                + " contain ${Name} or \"{{.Name}}\" (quoted).")
        @Nullable NodeAffinityTemplate nodeAffinity,
    @JsonPropertyDescription(
            "The tolerations to add to pods. They may contain the same template expressions as"
                + " nodeAffinity.")
        @Size(max = 64)
        List<TolerationTemplate> tolerations,
    @JsonPropertyDescription(
            "The namespaces that may use this object. If not specified, all namespaces may use it.")
        @Nullable AllowedNamespaces allowedNamespaces,
    @JsonPropertyDescription(
            "The steps in which a change of this spec takes effect. If not specified, a change"
                + " takes effect at once.")
        @Nullable GradualRollout rollout) {

  public NodeSchedulerConfigSpec {
    parameters = Absent.emptyIfNull(parameters);
    tolerations = Absent.emptyIfNull(tolerations);
  }
}
