package io.berth.crds.template;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A templated pod affinity term: pods, and the topology in which they count as near. */
@Part
public record PodTermTemplate(
    @JsonPropertyDescription(TemplateText.IF) @JsonProperty("$if") @Size(max = 8192)
        @Nullable String condition,
    @JsonPropertyDescription("The pods that are meant, by their labels. Absent: none; empty: all.")
        @Nullable LabelSelectorTemplate labelSelector,
    @JsonPropertyDescription(
            "The namespaces of the pods that are meant. Absent, without a namespaceSelector: the"
                + " pod's own.")
        @Size(max = 64)
        List<String> namespaces,
    @JsonPropertyDescription("Namespaces by their labels, as well as the named ones. Empty: all.")
        @Nullable LabelSelectorTemplate namespaceSelector,
    @JsonPropertyDescription(
            "The node label whose equal values make nodes count as one place, such as"
                + " kubernetes.io/hostname.")
        @Required
        @Size(max = 8192)
        String topologyKey,
    @JsonPropertyDescription(
            "Label keys of the incoming pod whose values the pods that are meant must have too.")
        @Size(max = 64)
        List<String> matchLabelKeys,
    @JsonPropertyDescription(
            "Label keys of the incoming pod whose values the pods that are meant must not have.")
        @Size(max = 64)
        List<String> mismatchLabelKeys) {

  public PodTermTemplate {
    namespaces = Absent.emptyIfNull(namespaces);
    matchLabelKeys = Absent.emptyIfNull(matchLabelKeys);
    mismatchLabelKeys = Absent.emptyIfNull(mismatchLabelKeys);
  }
}
