package io.berth.crds.binding;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.DurationText;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Size;
import org.jspecify.annotations.Nullable;

/** The groups that the pods of a binding are placed in. */
@Part
public record GroupRule(
    @JsonPropertyDescription(
            "Owner: the pods of each Job and RayCluster, and the executors of each"
                + " SparkApplication, are a group. Pods of other owners are left alone, unless they"
                + " have the annotation sched.cloud.ctrip.com/group-size.")
        @Default("Owner")
        GroupSource from,
    @JsonPropertyDescription(
            "How many pods of a group have to be placed together: a percentage of the pods that the"
                + " owner runs at a time, rounded up, such as 100%, or a number such as \"4\".")
        @Default("100%")
        @Size(min = 1, max = 6)
        @Pattern(GroupRule.MIN)
        String min,
    @JsonPropertyDescription("The nodes on which the pods of a group are to be together.")
        @Nullable GroupTopologyRule topology,
    @JsonPropertyDescription(
            "Pod: the pods are disrupted one by one. Group: all of them or none, and a group that"
                + " stays incomplete for its timeout gives its nodes back.")
        @Default("Pod")
        GroupDisruptionMode disruption,
    @JsonPropertyDescription(
            "How long an incomplete group with disruption Group keeps its nodes, such as 10m."
                + " Absent: 10m.")
        @Size(max = 64)
        @Pattern(DurationText.PATTERN)
        @Nullable String timeout) {

  /** The pattern of {@code min}: a percentage from 1 to 100, or a number from 1. */
  public static final String MIN = "^(([1-9][0-9]?|100)%|[1-9][0-9]{0,5})$";

  public GroupRule {
    from = Absent.orElse(from, GroupSource.OWNER);
    min = Absent.orElse(min, "100%");
    disruption = Absent.orElse(disruption, GroupDisruptionMode.POD);
  }

  /**
   * Returns how many pods have to be placed together.
   *
   * @param size the number of pods that the owner runs at a time, from 1
   */
  public int minimumOf(int size) {
    if (!min.endsWith("%")) {
      return Integer.parseInt(min);
    }
    int percent = Integer.parseInt(min.substring(0, min.length() - 1));
    return Math.max(1, (int) (((long) size * percent + 99) / 100));
  }
}
