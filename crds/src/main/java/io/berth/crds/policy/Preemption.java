package io.berth.crds.policy;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Default;

/** Whether pods may displace others. */
@Part
public record Preemption(
    @JsonPropertyDescription("Whether a pod that fits nowhere may displace pods of lower priority.")
        @Default("true")
        Boolean enabled) {

  public Preemption {
    enabled = Absent.orElse(enabled, true);
  }
}
