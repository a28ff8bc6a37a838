package io.berth.crds.binding;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;

/** The share of the selected pods that a binding applies to. */
@Part
public record Rollout(
    @JsonPropertyDescription(
            "The percentage of owners to whose pods this binding applies. Owners are chosen by a"
                + " hash, so the choice is the same on every replica, in dry runs, and for the"
                + " owner's future pods.")
        @Min(0)
        @Max(100)
        @Default("100")
        Integer percent) {

  public Rollout {
    percent = Absent.orElse(percent, 100);
  }
}
