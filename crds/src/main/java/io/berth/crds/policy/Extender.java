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

/** A service that is asked over HTTP, by the protocol of kube-scheduler's extenders. */
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
    @JsonPropertyDescription("Where the service is: the URL before the verb.")
        @Required
        @Size(min = 1, max = 2048)
        @Pattern("^https?://.+")
        String urlPrefix,
    @JsonPropertyDescription("Appended to urlPrefix to filter nodes. Absent: it does not filter.")
        @Size(max = 253)
        @Nullable String filterVerb,
    @JsonPropertyDescription("Appended to urlPrefix to score nodes. Absent: it does not score.")
        @Size(max = 253)
        @Nullable String prioritizeVerb,
    @JsonPropertyDescription(
            "Appended to urlPrefix to narrow the victims of preemption. Absent: it has no say.")
        @Size(max = 253)
        @Nullable String preemptVerb,
    @JsonPropertyDescription(
            "Appended to urlPrefix to bind pods. Absent: Berth binds. At most one extender of a"
                + " policy may bind; pods with GPU cards are bound by Berth.")
        @Size(max = 253)
        @Nullable String bindVerb,
    @JsonPropertyDescription(
            "What its scores, 0 to 10, are multiplied by, and by 10 as kube-scheduler does.")
        @Min(0)
        @Max(100000)
        @Default("1")
        Integer weight,
    @JsonPropertyDescription(
            "Accepted from kube-scheduler's files, where it has no effect on the URL. Not with a"
                + " urlPrefix of http://; https:// is what matters.")
        @Default("false")
        Boolean enableHTTPS,
    @JsonPropertyDescription("How the service proves who it is, and Berth to it.")
        @Nullable ExtenderTls tlsConfig,
    @JsonPropertyDescription(
            "How long to wait for an answer: a duration such as 5s, or nanoseconds as the legacy"
                + " Policy file has it, 1ms to 5m. Absent: 5s.")
        @SchemaFrom(type = IntOrString.class)
        @Nullable String httpTimeout,
    @JsonPropertyDescription(
            "Whether the service knows the nodes itself, so that only their names are sent.")
        @Default("false")
        Boolean nodeCacheCapable,
    @JsonPropertyDescription(
            "The extended resources that the service is asked about; pods that ask for none of them"
                + " pass it by. Absent: it is asked about every pod.")
        @Size(max = 64)
        List<ManagedResource> managedResources,
    @JsonPropertyDescription("Whether pods are placed without the service when it does not answer.")
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
