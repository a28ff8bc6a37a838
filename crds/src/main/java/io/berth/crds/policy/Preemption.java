package io.berth.crds.policy;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.DurationText;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Size;
import org.jspecify.annotations.Nullable;

/** The rules of preemption for pods of a policy: the pods that may be evicted, and the limits. */
@Part
public record Preemption(
    @JsonPropertyDescription(
            "Specifies whether a pod that does not fit on any node may evict pods of lower"
                + " priority. If false, priorities only order the queue.")
        @Default("true")
        Boolean enabled,
    @JsonPropertyDescription(
            "Specifies whether victims are evicted. Enforce evicts them. DryRun evicts no pods and"
                + " reports the victims in an event, a metric, and the decision record.")
        @Default("Enforce")
        PreemptionMode mode,
    @JsonPropertyDescription(
            "The maximum number of pods that may be evicted for one pod. Nodes on which more"
                + " evictions would be necessary are not considered. If not specified, there is no"
                + " limit.")
        @Min(1)
        @Nullable Integer maxVictimsPerPod,
    @JsonPropertyDescription(
            "The maximum number of evictions per minute in the whole cluster, for pods of all"
                + " policies. The next victims count toward it. If not specified, there is no"
                + " limit.")
        @Min(1)
        @Nullable Integer maxEvictionsPerMinute,
    @JsonPropertyDescription(
            "The maximum number of evictions per minute in each victim's namespace, counted like"
                + " maxEvictionsPerMinute. If not specified, there is no limit.")
        @Min(1)
        @Nullable Integer maxEvictionsPerMinutePerNamespace,
    @JsonPropertyDescription(
            "The minimum duration, such as 5m, for which a pod must have run before it may be"
                + " evicted. If not specified, a pod may be evicted as soon as it is bound to a"
                + " node.")
        @Pattern(DurationText.PATTERN)
        @Size(max = 64)
        @Nullable String minRunTime,
    @JsonPropertyDescription(
            "Specifies whether pods of DaemonSets may be evicted, as in kube-scheduler. Their"
                + " controller recreates them immediately, for the same node.")
        @Default("false")
        Boolean evictDaemonSetPods,
    @JsonPropertyDescription(
            "Specifies whether the pods of a group with disruption Group are evicted together for"
                + " pods of this policy, where every member may be evicted and the limits allow"
                + " that many victims. Otherwise, and always if false, each of them is evicted like"
                + " a pod without a group.")
        @Default("true")
        Boolean honorGroupDisruption) {

  public Preemption {
    enabled = Absent.orElse(enabled, true);
    mode = Absent.orElse(mode, PreemptionMode.ENFORCE);
    evictDaemonSetPods = Absent.orElse(evictDaemonSetPods, false);
    honorGroupDisruption = Absent.orElse(honorGroupDisruption, true);
  }

  /** Returns the rules of a policy that does not configure preemption. */
  public static Preemption defaults() {
    return enabled(true);
  }

  /** Returns rules without limits, with preemption enabled or disabled. */
  public static Preemption enabled(boolean enabled) {
    return new Preemption(enabled, PreemptionMode.ENFORCE, null, null, null, null, false, true);
  }
}
