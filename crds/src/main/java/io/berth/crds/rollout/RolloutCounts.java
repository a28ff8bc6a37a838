package io.berth.crds.rollout;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Required;

/** The results of one revision during a rollout. */
@Part
public record RolloutCounts(
    @JsonPropertyDescription("The number of pods to which the revision was applied.") @Required
        Long pods,
    @JsonPropertyDescription(
            "The number of these pods that fitted nowhere when they were last tried.")
        @Required
        Long unschedulable,
    @JsonPropertyDescription("The number of these pods that were denied.") @Required Long denied) {

  /** The results of a revision that was applied to no pod yet. */
  public static final RolloutCounts NONE = new RolloutCounts(0L, 0L, 0L);
}
