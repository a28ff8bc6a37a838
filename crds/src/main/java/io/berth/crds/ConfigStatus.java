package io.berth.crds;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.rollout.RolloutStatus;
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
            "The most recent metadata.generation that Berth has observed. If it is lower than"
                + " metadata.generation, Berth has not processed the latest change yet.")
        @Nullable Long observedGeneration,
    @JsonPropertyDescription(
            "The revision that the webhook renders into new pods. It is recorded in their"
                + " annotation sched.cloud.ctrip.com/applied.")
        @Nullable String revision,
    @JsonPropertyDescription(
            "The parameters of this config, either declared or inferred from its template. Required"
                + " parameters are marked with a trailing *.")
        List<String> parameters,
    @JsonPropertyDescription("The number of SchedulerConfigBindings that reference this config.")
        @Nullable Integer bindings,
    @JsonPropertyDescription(
            "The number of pods that reference this config, by annotation or through a binding.")
        @Nullable Integer pods,
    @JsonPropertyDescription("The rollout of the latest change, if spec.rollout is set.")
        @Nullable RolloutStatus rollout,
    @JsonPropertyDescription(
            "The current conditions of this object. Ready is True if the object is in effect as"
                + " written; otherwise, reason and message describe the problem and how to fix it.")
        List<Condition> conditions)
    implements ResourceStatus {

  public ConfigStatus {
    parameters = Absent.emptyIfNull(parameters);
    conditions = Absent.emptyIfNull(conditions);
  }
}
