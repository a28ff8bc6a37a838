package io.berth.crds.policy;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A shape of pods in a target workload, and its frequency. */
@ValidationRule(
    value = "self.milliGpu == 1000 || self.cards == 1",
    message = "milliGpu must be 1000 unless cards is 1: only single cards can be shared")
@Part
public record GpuWorkloadShape(
    @JsonPropertyDescription(
            "The frequency of such pods, relative to the shares of the other shapes.")
        @Min(1)
        @Max(1000000)
        @Default("1")
        Integer share,
    @JsonPropertyDescription("The CPU request of such a pod, in thousandths of a core.") @Min(0)
        @Nullable Long milliCpu,
    @JsonPropertyDescription("The memory request of such a pod, in MiB.") @Min(0)
        @Nullable Long memoryMebibytes,
    @JsonPropertyDescription(
            "The number of cards that such a pod requests. 0 describes a pod without a GPU.")
        @Min(0)
        @Max(64)
        @Default("0")
        Integer cards,
    @JsonPropertyDescription(
            "The share of each card that such a pod requests, in thousandths. Values below 1000"
                + " require cards to be 1.")
        @Min(1)
        @Max(1000)
        @Default("1000")
        Integer milliGpu,
    @JsonPropertyDescription(
            "The GPU models that such a pod accepts. If not specified, it accepts any model.")
        @Size(max = 64)
        List<String> models) {

  public GpuWorkloadShape {
    models = Absent.emptyIfNull(models);
    share = Absent.orElse(share, 1);
    cards = Absent.orElse(cards, 0);
    milliGpu = Absent.orElse(milliGpu, 1000);
  }
}
