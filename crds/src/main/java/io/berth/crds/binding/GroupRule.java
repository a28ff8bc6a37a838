package io.berth.crds.binding;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.DurationText;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Size;
import org.jspecify.annotations.Nullable;

/** The rules by which the pods of a binding are scheduled in groups. */
@Part
public record GroupRule(
    @JsonPropertyDescription(
            "The source of the groups. Owner makes a group of the pods of each Job and RayCluster,"
                + " and of the executors of each SparkApplication. Pods of other owners are not"
                + " grouped unless they have the annotation sched.cloud.ctrip.com/group-size.")
        @Default("Owner")
        GroupSource from,
    @JsonPropertyDescription(
            "The minimum number of pods of a group that must be placed together: a percentage, such"
                + " as 100%, of the pods that the owner runs at a time (rounded up), or a number,"
                + " such as \"4\".")
        @Default("100%")
        @Size(min = 1, max = 6)
        @Pattern(GroupRule.MIN)
        String min,
    @JsonPropertyDescription(
            "The topology domain in which the pods of a group are placed together.")
        @Nullable GroupTopologyRule topology,
    @JsonPropertyDescription(
            "The unit of disruption. Pod disrupts the pods one by one. Group disrupts all of them"
                + " or none, and releases the nodes of a group that is still incomplete after its"
                + " timeout.")
        @Default("Pod")
        GroupDisruptionMode disruption,
    @JsonPropertyDescription(
            "The duration for which an incomplete group with disruption Group keeps its nodes, such"
                + " as 10m. Defaults to 10m.")
        @Size(max = 64)
        @Pattern(DurationText.PATTERN)
        @Nullable String timeout) {

  /** The pattern of {@code min}: a percentage from 1 to 100, or a number of at least 1. */
  public static final String MIN = "^(([1-9][0-9]?|100)%|[1-9][0-9]{0,5})$";

  public GroupRule {
    from = Absent.orElse(from, GroupSource.OWNER);
    min = Absent.orElse(min, "100%");
    disruption = Absent.orElse(disruption, GroupDisruptionMode.POD);
  }

  /**
   * Returns the number of pods that must be placed together.
   *
   * @param size the number of pods that the owner runs at a time, at least 1
   */
  public int minimumOf(int size) {
    if (!min.endsWith("%")) {
      return Integer.parseInt(min);
    }
    int percent = Integer.parseInt(min.substring(0, min.length() - 1));
    return Math.max(1, (int) (((long) size * percent + 99) / 100));
  }
}
