package io.berth.crds.template;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A templated pod affinity term: a set of pods, and the topology that defines co-location. */
@Part
public record PodTermTemplate(
    @JsonPropertyDescription(TemplateText.IF) @JsonProperty("$if") @Size(max = 8192)
        @Nullable String condition,
    @JsonPropertyDescription(
            "A label query over the pods of this term. If not specified, it matches no pods; if"
                + " empty, it matches all pods.")
        @Nullable LabelSelectorTemplate labelSelector,
    @JsonPropertyDescription(
            "The namespaces of the pods of this term. If neither namespaces nor namespaceSelector"
                + " is specified, the pod's own namespace is used.")
        @Size(max = 64)
        List<String> namespaces,
    @JsonPropertyDescription(
            "A label query over the namespaces of the pods of this term, in addition to those in"
                + " namespaces. If empty, it matches all namespaces.")
        @Nullable LabelSelectorTemplate namespaceSelector,
    @JsonPropertyDescription(
            "The node label that defines the topology, such as kubernetes.io/hostname. Nodes with"
                + " the same value are in the same topology domain.")
        @Required
        @Size(max = 8192)
        String topologyKey,
    @JsonPropertyDescription(
            "The label keys whose values must be the same on the pods of this term as on the"
                + " incoming pod.")
        @Size(max = 64)
        List<String> matchLabelKeys,
    @JsonPropertyDescription(
            "The label keys whose values must be different on the pods of this term from those of"
                + " the incoming pod.")
        @Size(max = 64)
        List<String> mismatchLabelKeys) {

  public PodTermTemplate {
    namespaces = Absent.emptyIfNull(namespaces);
    matchLabelKeys = Absent.emptyIfNull(matchLabelKeys);
    mismatchLabelKeys = Absent.emptyIfNull(mismatchLabelKeys);
  }
}
