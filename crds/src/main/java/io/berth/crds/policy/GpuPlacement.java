package io.berth.crds.policy;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Size;
import java.util.List;

/** The placement of pods that request GPUs on cards, or on devices by resource claims. */
@Part
public record GpuPlacement(
    @JsonPropertyDescription(
            "The strategy for choosing cards on a node. LeastFragmentation minimizes fragmentation"
                + " for the target workload. BestFit chooses the fullest card that fits, and Spread"
                + " the emptiest. Topology keeps the cards of a multi-card pod within one NVLink"
                + " group or NUMA node if possible, and takes single cards from groups that are"
                + " already partly used. The devices of resource claims are chosen in the same way."
                + " LeastFragmentation and Topology also rank nodes by the"
                + " score GpuFragmentation, which outweighs all other scores unless spec.priorities"
                + " sets its weight.")
        @Default("LeastFragmentation")
        CardChoice cardChoice,
    @JsonPropertyDescription(
            "The shapes of pods for which free GPU capacity should remain usable. Fragmentation is"
                + " measured against them. If not specified, they are derived from the pods in the"
                + " cluster.")
        @Size(max = 256)
        List<GpuWorkloadShape> targetWorkload) {

  public GpuPlacement {
    targetWorkload = Absent.emptyIfNull(targetWorkload);
    cardChoice = Absent.orElse(cardChoice, CardChoice.LEAST_FRAGMENTATION);
  }
}
