package io.berth.crds.policy;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** Another policy that is tried beside this one, without effect. */
@Part
public record Shadow(
    @JsonPropertyDescription(
            "The name of the SchedulingPolicy that is tried. What it would decide is only"
                + " reported.")
        @Required
        @Size(min = 1, max = 253)
        String policy,
    @JsonPropertyDescription(
            "The percentage of this policy's pods for which the other policy is tried. Pods are"
                + " chosen by a hash of their UID. Fewer are tried if the additional work would"
                + " exceed twice this percentage of the work for all pods of this policy.")
        @Min(1)
        @Max(100)
        @Default("10")
        Integer percent) {

  /** The percentage if none is set. */
  public static final int DEFAULT_PERCENT = 10;

  public Shadow {
    percent = Absent.orElse(percent, DEFAULT_PERCENT);
  }
}
