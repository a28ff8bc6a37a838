package io.berth.crds;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.berth.crds.template.PodAffinityTemplate;
import io.berth.crds.template.TopologySpreadConstraintTemplate;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Pod affinities and spread constraints with parameters in them. */
@ValidationRule(
    value =
        "has(self.podAffinity) || has(self.podAntiAffinity) || has(self.topologySpreadConstraints)",
    message =
        "give a podAffinity, a podAntiAffinity or topologySpreadConstraints: this config says"
            + " nothing")
@Part
public record PodSchedulerConfigSpec(
    @JsonPropertyDescription(
            "The parameters that the template reads. A config that declares none takes the names"
                + " its template uses, as required strings.")
        @Size(max = 64)
        List<Parameter> parameters,
    @JsonPropertyDescription(
            "The pods to be near to: a Kubernetes podAffinity in which any string may hold ${Name}"
                + " or \"{{.Name}}\" (quoted).")
        @Nullable PodAffinityTemplate podAffinity,
    @JsonPropertyDescription(
            "The pods to be away from: a Kubernetes podAntiAffinity, templated as podAffinity is.")
        @Nullable PodAffinityTemplate podAntiAffinity,
    @JsonPropertyDescription("Spread constraints to add to pods, templated as podAffinity is.")
        @Size(max = 64)
        List<TopologySpreadConstraintTemplate> topologySpreadConstraints,
    @JsonPropertyDescription("Which namespaces may use this object. Absent: all.")
        @Nullable AllowedNamespaces allowedNamespaces) {

  public PodSchedulerConfigSpec {
    parameters = Absent.emptyIfNull(parameters);
    topologySpreadConstraints = Absent.emptyIfNull(topologySpreadConstraints);
  }
}
