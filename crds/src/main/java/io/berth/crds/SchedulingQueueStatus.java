package io.berth.crds;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.berth.crds.schema.ResourceStatus;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The state of a SchedulingQueue. */
@Part
public record SchedulingQueueStatus(
    @JsonPropertyDescription(
            "The most recent metadata.generation that Berth has observed. If it is lower than"
                + " metadata.generation, Berth has not processed the latest change yet.")
        @Nullable Long observedGeneration,
    @JsonPropertyDescription(
            "The number of pods of this queue and its parts that are bound, or will be: pods for"
                + " which others are evicted count.")
        @Nullable Integer pods,
    @JsonPropertyDescription("What these pods request, by resource.") Map<String, Quantity> used,
    @JsonPropertyDescription("The part of it that no guarantee covers.")
        Map<String, Quantity> borrowed,
    @JsonPropertyDescription(
            "The part of the guarantee that the pods of this queue do not fill, and that is not"
                + " free either, because others borrow it. Devices of claims are left out.")
        Map<String, Quantity> lent,
    @JsonPropertyDescription(
            "What this queue would have if the cluster was shared again among all that runs and"
                + " waits: guarantees first, then by priority and weight, for each resource by"
                + " itself. Resources whose capacity is not known, such as devices of claims, are"
                + " left out.")
        Map<String, Quantity> fairShare,
    @JsonPropertyDescription(
            "The largest part of the cluster's capacity that this queue has borrowed in any"
                + " resource, in percent, divided by its weight. Fair means that queues with"
                + " pending pods have equal shares.")
        @Nullable String share,
    @JsonPropertyDescription(
            "The mean of the past shares, of which each counts half after every usageHalfLife. The"
                + " leader updates it at least every hour, and reads it when it starts.")
        @Nullable String pastShare,
    @JsonPropertyDescription("The time up to which pastShare counts.") @Nullable String pastShareAt,
    @JsonPropertyDescription("Whether no pod waits that the guarantee of this queue would cover.")
        @Nullable Boolean guaranteeMet,
    @JsonPropertyDescription("The number of pending pods of this queue and its parts.")
        @Nullable Integer pendingPods,
    @JsonPropertyDescription("The number of groups that wait to be placed together.")
        @Nullable Integer pendingGroups,
    @JsonPropertyDescription(
            "What the pending pods request, by resource. Pods for which others are evicted count"
                + " here and in used.")
        Map<String, Quantity> pending,
    @JsonPropertyDescription("The reason why the first pending pod or group of this queue waits.")
        @Nullable String firstWaits,
    @JsonPropertyDescription(
            "The current conditions of this object. Ready is True if the object is in effect as"
                + " written; otherwise, reason and message describe the problem and how to fix it.")
        List<Condition> conditions)
    implements ResourceStatus {

  public SchedulingQueueStatus {
    used = Absent.emptyIfNull(used);
    borrowed = Absent.emptyIfNull(borrowed);
    lent = Absent.emptyIfNull(lent);
    fairShare = Absent.emptyIfNull(fairShare);
    pending = Absent.emptyIfNull(pending);
    conditions = Absent.emptyIfNull(conditions);
  }
}
