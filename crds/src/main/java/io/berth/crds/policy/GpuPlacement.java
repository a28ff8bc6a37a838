package io.berth.crds.policy;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Size;
import java.util.List;

/** The placement of pods that request GPUs on cards. */
@Part
public record GpuPlacement(
    @JsonPropertyDescription(
            "Which card of a node a pod gets: LeastFragmentation leaves the fewest fragments for"
                + " the target workload, BestFit takes the fullest card that fits, Spread the"
                + " emptiest. Topology keeps several cards of a pod within one NVLink group or NUMA"
                + " node where it can, and takes single cards from groups that are broken already."
                + " LeastFragmentation and Topology also choose between nodes by the score"
                + " GpuFragmentation, which outweighs the others unless spec.priorities gives it a"
                + " weight.")
        @Default("LeastFragmentation")
        CardChoice cardChoice,
    @JsonPropertyDescription(
            "The pods that free GPUs should stay usable for, by which fragments are measured."
                + " Absent: learnt from the pods of the cluster.")
        @Size(max = 256)
        List<GpuWorkloadShape> targetWorkload) {

  public GpuPlacement {
    targetWorkload = Absent.emptyIfNull(targetWorkload);
    cardChoice = Absent.orElse(cardChoice, CardChoice.LEAST_FRAGMENTATION);
  }
}
