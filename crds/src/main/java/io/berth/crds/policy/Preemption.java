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

/** The rules of preemption: the pods that may be evicted for pods of a policy, and their number. */
@Part
public record Preemption(
    @JsonPropertyDescription(
            "Whether a pod that fits nowhere may evict pods of lower priority. false: priorities"
                + " order the queue, and nobody is evicted.")
        @Default("true")
        Boolean enabled,
    @JsonPropertyDescription(
            "Enforce evicts the victims. DryRun names them in an event, in a metric and in the"
                + " decision record, and evicts nobody.")
        @Default("Enforce")
        PreemptionMode mode,
    @JsonPropertyDescription(
            "The most pods that may be evicted for one pod. A node on which more would have to go"
                + " is left alone. Absent: no limit.")
        @Min(1)
        @Nullable Integer maxVictimsPerPod,
    @JsonPropertyDescription(
            "The most pods that may have been evicted in the whole cluster within the last minute,"
                + " for pods of all policies, the next victims included. Absent: no limit.")
        @Min(1)
        @Nullable Integer maxEvictionsPerMinute,
    @JsonPropertyDescription(
            "As maxEvictionsPerMinute, but counted in each namespace of a victim by itself. Absent:"
                + " no limit.")
        @Min(1)
        @Nullable Integer maxEvictionsPerMinutePerNamespace,
    @JsonPropertyDescription(
            "How long a pod must have run before it may be evicted, such as 5m. Absent: a pod may"
                + " be evicted as soon as it is on a node.")
        @Pattern(DurationText.PATTERN)
        @Size(max = 64)
        @Nullable String minRunTime,
    @JsonPropertyDescription(
            "Whether pods of DaemonSets may be evicted, as kube-scheduler does. Their controller"
                + " creates them again at once, for the same node.")
        @Default("false")
        Boolean evictDaemonSetPods) {

  public Preemption {
    enabled = Absent.orElse(enabled, true);
    mode = Absent.orElse(mode, PreemptionMode.ENFORCE);
    evictDaemonSetPods = Absent.orElse(evictDaemonSetPods, false);
  }

  /** The rules of a policy that says nothing about preemption. */
  public static Preemption defaults() {
    return enabled(true);
  }

  /** Preemption without limits, on or off. */
  public static Preemption enabled(boolean enabled) {
    return new Preemption(enabled, PreemptionMode.ENFORCE, null, null, null, null, false);
  }
}
