package io.berth.crds;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.queue.QueueBorrowing;
import io.berth.crds.queue.QueueNamespaces;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.DnsName;
import io.berth.crds.schema.DurationText;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The limits and guarantees of a queue, and the namespaces whose pods belong to it. */
@Part
public record SchedulingQueueSpec(
    @JsonPropertyDescription(
            "The name of the queue that this queue is a part of. Pods belong only to queues without"
                + " such parts. If not specified, the queue is at the top.")
        @Size(min = 1, max = 253)
        @Pattern(DnsName.SUBDOMAIN)
        @Nullable String parent,
    @JsonPropertyDescription(
            "The amounts, by resource, that pods of this queue get back from pods of other queues"
                + " when they need them. While they do not, others may borrow them. A pod is"
                + " covered if it requests some of these resources and its whole request fits."
                + " CPU, memory, pods, and other resources of Kubernetes itself that are not"
                + " named are not looked at; extended resources and devices that another queue"
                + " names are guaranteed only where they are named.")
        Map<String, Quantity> guarantee,
    @JsonPropertyDescription(
            "The amounts, by resource, that the pods of this queue never exceed together. Resources"
                + " that are not named are not limited.")
        Map<String, Quantity> limit,
    @JsonPropertyDescription(
            "The share of this queue, relative to the other parts of its parent, in what no"
                + " guarantee covers.")
        @Min(1)
        @Max(1000000)
        @Default("1")
        Integer weight,
    @JsonPropertyDescription(
            "The priority of this queue among the parts of its parent, in what no guarantee covers:"
                + " queues of higher priority come first, and take it back from queues of lower"
                + " priority.")
        @Min(-1000000)
        @Max(1000000)
        @Default("0")
        Integer priority,
    @JsonPropertyDescription(
            "The minimum duration, such as 10m, for which a pod of this queue runs before it may be"
                + " evicted for a pod of another queue. If not specified, it may be evicted at any"
                + " time.")
        @Pattern(DurationText.PATTERN)
        @Size(max = 64)
        @Nullable String minRunTime,
    @JsonPropertyDescription(
            "The half-life, such as 12h, with which past borrowing counts when the next pod is"
                + " chosen: the past share in the status is added to the share of this queue. It"
                + " gives no right to evict, but a queue that has borrowed more than another takes"
                + " less from it. At least 10m. If not specified, only"
                + " the present counts. Set it for all parts of a parent, or for none.")
        @Pattern(DurationText.PATTERN)
        @Size(max = 64)
        @Nullable String usageHalfLife,
    @JsonPropertyDescription("The rules for pods that the guarantee of this queue does not cover.")
        QueueBorrowing borrowing,
    @JsonPropertyDescription(
            "The namespaces whose pods belong to this queue. If several queues select a namespace,"
                + " its pods belong to the first of them by name; the label"
                + " sched.cloud.ctrip.com/queue on a pod selects another one of them. If not"
                + " specified, no pods belong to this queue itself.")
        @Nullable QueueNamespaces namespaces) {

  public SchedulingQueueSpec {
    guarantee = Absent.emptyIfNull(guarantee);
    limit = Absent.emptyIfNull(limit);
    weight = Absent.orElse(weight, 1);
    priority = Absent.orElse(priority, 0);
    borrowing = Absent.orElse(borrowing, QueueBorrowing.DEFAULTS);
  }
}
