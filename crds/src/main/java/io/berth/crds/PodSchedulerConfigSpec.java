package io.berth.crds;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.rollout.GradualRollout;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.berth.crds.template.PodAffinityTemplate;
import io.berth.crds.template.TopologySpreadConstraintTemplate;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A template of pod affinities and topology spread constraints, and its parameters. */
@ValidationRule(
    value =
        "has(self.podAffinity) || has(self.podAntiAffinity) || has(self.topologySpreadConstraints)",
    message =
        "set at least one of podAffinity, podAntiAffinity, and topologySpreadConstraints: this"
            + " config has no effect")
@Part
public record PodSchedulerConfigSpec(
    @JsonPropertyDescription(
            "The parameters of the template. If none are declared, every name that the template"
                + " uses is a required parameter of type string.")
        @Size(max = 64)
        List<Parameter> parameters,
    @JsonPropertyDescription(
            "The pod affinity to add to pods: a Kubernetes podAffinity in which any string may"
                + " contain ${Name} or \"{{.Name}}\" (quoted).")
        @Nullable PodAffinityTemplate podAffinity,
    @JsonPropertyDescription(
            "The pod anti-affinity to add to pods: a Kubernetes podAntiAffinity that may contain"
                + " the same template expressions as podAffinity.")
        @Nullable PodAffinityTemplate podAntiAffinity,
    @JsonPropertyDescription(
            "The topology spread constraints to add to pods. They may contain the same template"
                + " expressions as podAffinity.")
        @Size(max = 64)
        List<TopologySpreadConstraintTemplate> topologySpreadConstraints,
    @JsonPropertyDescription(
            "The namespaces that may use this object. If not specified, all namespaces may use it.")
        @Nullable AllowedNamespaces allowedNamespaces,
    @JsonPropertyDescription(
            "The steps in which a change of this spec takes effect. If not specified, a change"
                + " takes effect at once.")
        @Nullable GradualRollout rollout) {

  public PodSchedulerConfigSpec {
    parameters = Absent.emptyIfNull(parameters);
    topologySpreadConstraints = Absent.emptyIfNull(topologySpreadConstraints);
  }
}
