package io.berth.crds;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.berth.crds.schema.ResourceStatus;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The state of a NodeSchedulerConfig or PodSchedulerConfig. */
@Part
public record ConfigStatus(
    @JsonPropertyDescription(
            "The metadata.generation that this status speaks of. When it is older than"
                + " metadata.generation, the last change has not been looked at yet.")
        @Nullable Long observedGeneration,
    @JsonPropertyDescription(
            "The revision that newly admitted pods are rendered with. Pods carry it in the"
                + " annotation sched.cloud.ctrip.com/applied.")
        @Nullable String revision,
    @JsonPropertyDescription(
            "The parameters that this config takes, declared or found in its template; required"
                + " ones end in *.")
        List<String> parameters,
    @JsonPropertyDescription("How many SchedulerConfigBindings name this config.")
        @Nullable Integer bindings,
    @JsonPropertyDescription(
            "How many pods name this config, or are reached by a binding that does.")
        @Nullable Integer pods,
    @JsonPropertyDescription(
            "What is known of this object. Ready is True when it is in use as written; otherwise"
                + " reason and message say what is wrong and what to do.")
        List<Condition> conditions)
    implements ResourceStatus {

  public ConfigStatus {
    parameters = Absent.emptyIfNull(parameters);
    conditions = Absent.emptyIfNull(conditions);
  }
}
