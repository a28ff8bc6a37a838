package io.berth.crds.policy;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.crd.generator.annotation.SchemaFrom;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.IntOrString;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP service that takes part in scheduling, with the protocol of kube-scheduler's extenders.
 */
@ValidationRule(
    value = "!has(self.prioritizeVerb) || self.weight > 0",
    message = "an extender with a prioritizeVerb needs a weight of at least 1")
@ValidationRule(
    value =
        "has(self.filterVerb) || has(self.prioritizeVerb) || has(self.preemptVerb) ||"
            + " has(self.bindVerb)",
    message =
        "set at least one of filterVerb, prioritizeVerb, preemptVerb, and bindVerb: without them,"
            + " the extender is never called")
@Part
public record Extender(
    @JsonPropertyDescription(
            "The URL prefix at which the extender is available. Verbs are appended to it.")
        @Required
        @Size(min = 1, max = 2048)
        @Pattern("^https?://.+")
        String urlPrefix,
    @JsonPropertyDescription(
            "The verb of the filter call, appended to urlPrefix. If not specified, the extender"
                + " does not filter.")
        @Size(max = 253)
        @Nullable String filterVerb,
    @JsonPropertyDescription(
            "The verb of the prioritize call, appended to urlPrefix. If not specified, the extender"
                + " does not score.")
        @Size(max = 253)
        @Nullable String prioritizeVerb,
    @JsonPropertyDescription(
            "The verb of the preempt call, appended to urlPrefix, which narrows down the victims of"
                + " preemption. If not specified, the extender does not take part in preemption.")
        @Size(max = 253)
        @Nullable String preemptVerb,
    @JsonPropertyDescription(
            "The verb of the bind call, appended to urlPrefix. If not specified, Berth binds the"
                + " pods. At most one extender of a policy may bind. Pods with GPU cards are always"
                + " bound by Berth.")
        @Size(max = 253)
        @Nullable String bindVerb,
    @JsonPropertyDescription(
            "The weight of the extender's scores. The scores, 0 to 10, are multiplied by the weight"
                + " and, as in kube-scheduler, by 10.")
        @Min(0)
        @Max(100000)
        @Default("1")
        Integer weight,
    @JsonPropertyDescription(
            "Accepted for compatibility with kube-scheduler's configuration. It does not change the"
                + " URL: a urlPrefix that starts with https:// enables TLS. It is rejected if"
                + " urlPrefix starts with http://.")
        @Default("false")
        Boolean enableHTTPS,
    @JsonPropertyDescription("The TLS settings of the connection, including client authentication.")
        @Nullable ExtenderTls tlsConfig,
    @JsonPropertyDescription(
            "The timeout of a call, from 1ms to 5m: a duration, such as 5s, or a number of"
                + " nanoseconds, as in the legacy Policy file. Defaults to 5s.")
        @SchemaFrom(type = IntOrString.class)
        @Nullable String httpTimeout,
    @JsonPropertyDescription(
            "Specifies whether the extender caches node information, so that only node names are"
                + " sent to it.")
        @Default("false")
        Boolean nodeCacheCapable,
    @JsonPropertyDescription(
            "The extended resources that the extender manages. It is called only for pods that"
                + " request at least one of them. If not specified, it is called for every pod.")
        @Size(max = 64)
        List<ManagedResource> managedResources,
    @JsonPropertyDescription(
            "Specifies whether scheduling continues without the extender if it does not respond.")
        @Default("false")
        Boolean ignorable) {

  public Extender {
    managedResources = Absent.emptyIfNull(managedResources);
    weight = Absent.orElse(weight, 1);
    enableHTTPS = Absent.orElse(enableHTTPS, false);
    nodeCacheCapable = Absent.orElse(nodeCacheCapable, false);
    ignorable = Absent.orElse(ignorable, false);
  }
}
