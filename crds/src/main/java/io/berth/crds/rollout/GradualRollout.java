package io.berth.crds.rollout;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The steps in which a changed spec takes effect. */
@Part
public record GradualRollout(
    @JsonPropertyDescription(
            "The steps, with ascending percentages. After the last one, the change applies to all"
                + " workloads. Without steps, a change takes effect at once.")
        @Size(max = 20)
        List<RolloutStep> steps,
    @JsonPropertyDescription(
            "The results of the changed spec at which it is withdrawn: from then on, the last"
                + " complete revision applies to all workloads again, until the spec is changed.")
        @Nullable AbortWhen abortWhen,
    @JsonPropertyDescription(
            "Specifies whether the rollout stays at its current step. The limits of abortWhen still"
                + " apply.")
        @Default("false")
        Boolean paused) {

  public GradualRollout {
    steps = Absent.emptyIfNull(steps);
    paused = Absent.orElse(paused, false);
  }
}
