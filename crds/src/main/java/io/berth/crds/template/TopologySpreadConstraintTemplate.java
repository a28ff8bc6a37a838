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
            "By how many pods domains may differ: a number from 1, or a template that renders one.")
        @Required
        IntOrString maxSkew,
    @JsonPropertyDescription(
            "The node label whose values are the domains, such as topology.kubernetes.io/zone.")
        @Required
        @Size(max = 8192)
        String topologyKey,
    @JsonPropertyDescription(
            "DoNotSchedule keeps the pod pending, ScheduleAnyway prefers the nodes that lower the"
                + " skew.")
        @Required
        @Pattern(TemplateText.UNSATISFIABLE)
        @Size(max = 8192)
        String whenUnsatisfiable,
    @JsonPropertyDescription("The pods that are counted, by their labels. Absent: none.")
        @Nullable LabelSelectorTemplate labelSelector,
    @JsonPropertyDescription(
            "With DoNotSchedule, how many domains there must be before an empty one stops counting"
                + " as the fullest: a number from 1, or a template that renders one.")
        @Nullable IntOrString minDomains,
    @JsonPropertyDescription(
            "Whether only nodes that match the pod's node affinity count: Honor (the default) or"
                + " Ignore.")
        @Pattern(TemplateText.INCLUSION)
        @Size(max = 8192)
        @Nullable String nodeAffinityPolicy,
    @JsonPropertyDescription(
            "Whether only nodes whose taints the pod tolerates count: Honor, or Ignore (the"
                + " default).")
        @Pattern(TemplateText.INCLUSION)
        @Size(max = 8192)
        @Nullable String nodeTaintsPolicy,
    @JsonPropertyDescription(
            "Label keys of the incoming pod whose values the counted pods must have too.")
        @Size(max = 64)
        List<String> matchLabelKeys) {

  public TopologySpreadConstraintTemplate {
    matchLabelKeys = Absent.emptyIfNull(matchLabelKeys);
  }
}
