package io.berth.crds.template;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.api.model.IntOrString;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A templated topology spread constraint. */
@Part
public record TopologySpreadConstraintTemplate(
    @JsonPropertyDescription(TemplateText.IF) @JsonProperty("$if") @Size(max = 8192)
        @Nullable String condition,
    @JsonPropertyDescription(
            "The maximum difference in the number of matching pods between topology domains: a"
                + " number of at least 1, or a template that renders one.")
        @Required
        IntOrString maxSkew,
    @JsonPropertyDescription(
            "The node label whose values are the topology domains, such as"
                + " topology.kubernetes.io/zone.")
        @Required
        @Size(max = 8192)
        String topologyKey,
    @JsonPropertyDescription(
            "The handling of pods that do not satisfy the constraint. DoNotSchedule leaves the pod"
                + " pending. ScheduleAnyway prefers nodes that reduce the skew.")
        @Required
        @Pattern(TemplateText.UNSATISFIABLE)
        @Size(max = 8192)
        String whenUnsatisfiable,
    @JsonPropertyDescription(
            "A label query over the pods that are counted. If not specified, no pods are counted.")
        @Nullable LabelSelectorTemplate labelSelector,
    @JsonPropertyDescription(
            "The minimum number of eligible domains: a number of at least 1, or a template that"
                + " renders one. If there are fewer domains, the global minimum of matching pods is"
                + " treated as 0. It requires whenUnsatisfiable to be DoNotSchedule.")
        @Nullable IntOrString minDomains,
    @JsonPropertyDescription(
            "Specifies whether only nodes that match the pod's node affinity and node selector are"
                + " counted (Honor) or all nodes (Ignore). Defaults to Honor.")
        @Pattern(TemplateText.INCLUSION)
        @Size(max = 8192)
        @Nullable String nodeAffinityPolicy,
    @JsonPropertyDescription(
            "Specifies whether only nodes whose taints the pod tolerates are counted (Honor) or all"
                + " nodes (Ignore). Defaults to Ignore.")
        @Pattern(TemplateText.INCLUSION)
        @Size(max = 8192)
        @Nullable String nodeTaintsPolicy,
    @JsonPropertyDescription(
            "The label keys whose values must be the same on the counted pods as on the incoming"
                + " pod.")
        @Size(max = 64)
        List<String> matchLabelKeys) {

  public TopologySpreadConstraintTemplate {
    matchLabelKeys = Absent.emptyIfNull(matchLabelKeys);
  }
}
