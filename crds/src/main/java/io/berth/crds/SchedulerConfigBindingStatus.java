package io.berth.crds;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.binding.BindingConflict;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.berth.crds.schema.ResourceStatus;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The state of a SchedulerConfigBinding. */
@Part
public record SchedulerConfigBindingStatus(
    @JsonPropertyDescription(
            "The most recent metadata.generation that Berth has observed. If it is lower than"
                + " metadata.generation, Berth has not processed the latest change yet.")
        @Nullable Long observedGeneration,
    @JsonPropertyDescription(
            "The number of pods that the selectors and the rollout of this binding include.")
        @Nullable Integer matchedPods,
    @JsonPropertyDescription(
            "The number of matched pods that would be changed if this binding were enforced. It is"
                + " set for DryRun bindings only.")
        @Nullable Integer wouldChange,
    @JsonPropertyDescription(
            "The number of pods that were admitted without this binding while the webhook was"
                + " unavailable.")
        @Nullable Integer unrenderedPods,
    @JsonPropertyDescription(
            "The bindings that take precedence over this one for at least one pod, with the fields"
                + " concerned.")
        List<BindingConflict> losesTo,
    @JsonPropertyDescription(
            "The bindings that this one takes precedence over for at least one pod, with the fields"
                + " concerned.")
        List<BindingConflict> winsOver,
    @JsonPropertyDescription(
            "The current conditions of this object. Ready is True if the object is in effect as"
                + " written; otherwise, reason and message describe the problem and how to fix it.")
        List<Condition> conditions)
    implements ResourceStatus {

  public SchedulerConfigBindingStatus {
    losesTo = Absent.emptyIfNull(losesTo);
    winsOver = Absent.emptyIfNull(winsOver);
    conditions = Absent.emptyIfNull(conditions);
  }
}
