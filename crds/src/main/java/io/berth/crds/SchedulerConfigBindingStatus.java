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
            "The metadata.generation that this status speaks of. When it is older than"
                + " metadata.generation, the last change has not been looked at yet.")
        @Nullable Long observedGeneration,
    @JsonPropertyDescription("How many pods the binding's selectors and rollout reach.")
        @Nullable Integer matchedPods,
    @JsonPropertyDescription(
            "How many of them would be changed if the binding were enforced. Set for DryRun"
                + " bindings.")
        @Nullable Integer wouldChange,
    @JsonPropertyDescription(
            "How many pods were admitted without this binding while the webhook was away.")
        @Nullable Integer unrenderedPods,
    @JsonPropertyDescription(
            "Bindings that win over this one for at least one pod, and in which fields.")
        List<BindingConflict> losesTo,
    @JsonPropertyDescription(
            "Bindings that lose to this one for at least one pod, and in which fields.")
        List<BindingConflict> winsOver,
    @JsonPropertyDescription(
            "What is known of this object. Ready is True when it is in use as written; otherwise"
                + " reason and message say what is wrong and what to do.")
        List<Condition> conditions)
    implements ResourceStatus {

  public SchedulerConfigBindingStatus {
    losesTo = Absent.emptyIfNull(losesTo);
    winsOver = Absent.emptyIfNull(winsOver);
    conditions = Absent.emptyIfNull(conditions);
  }
}
