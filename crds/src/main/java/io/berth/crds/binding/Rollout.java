package io.berth.crds.binding;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;

/** The part of the pods that a binding reaches. */
@Part
public record Rollout(
    @JsonPropertyDescription(
            "How many of a hundred owners are reached, chosen by a hash: the same owners on every"
                + " replica, in a dry run, and for their next pods.")
        @Min(0)
        @Max(100)
        @Default("100")
        Integer percent) {

  public Rollout {
    percent = Absent.orElse(percent, 100);
  }
}
