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

/** A kind of pod of a target workload, and how common it is. */
@ValidationRule(
    value = "self.milliGpu == 1000 || self.cards == 1",
    message = "milliGpu must be 1000 unless cards is 1: only single cards can be shared")
@Part
public record GpuWorkloadShape(
    @JsonPropertyDescription("How common such pods are, against the shares of the other shapes.")
        @Min(1)
        @Max(1000000)
        @Default("1")
        Integer share,
    @JsonPropertyDescription("CPU that such a pod asks for, in thousandths of a core.") @Min(0)
        @Nullable Long milliCpu,
    @JsonPropertyDescription("Memory that such a pod asks for, in MiB.") @Min(0)
        @Nullable Long memoryMebibytes,
    @JsonPropertyDescription("How many cards such a pod asks for. 0: a pod without GPU.")
        @Min(0)
        @Max(64)
        @Default("0")
        Integer cards,
    @JsonPropertyDescription(
            "How much of each card it asks for, in thousandths. Less than 1000 is for one card.")
        @Min(1)
        @Max(1000)
        @Default("1000")
        Integer milliGpu,
    @JsonPropertyDescription("The GPU models that will do. Absent: any.") @Size(max = 64)
        List<String> models) {

  public GpuWorkloadShape {
    models = Absent.emptyIfNull(models);
    share = Absent.orElse(share, 1);
    cards = Absent.orElse(cards, 0);
    milliGpu = Absent.orElse(milliGpu, 1000);
  }
}
