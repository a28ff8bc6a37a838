package io.berth.operator.record;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The metrics of Berth. Metrics that kube-scheduler also has use its names, labels, and buckets, so
 * that dashboards and alerts can be reused; all others start with {@code berth_}. {@code
 * docs/metrics.md} is generated from this list.
 */
public enum Metric {
  SCHEDULE_ATTEMPTS(
      Type.COUNTER,
      "scheduler.schedule.attempts",
      "Number of attempts to schedule pods, by the result.",
      "result",
      "profile"),
  ATTEMPT_DURATION(
      Type.TIMER,
      "scheduler.scheduling.attempt.duration",
      "Scheduling attempt latency (scheduling algorithm + binding)",
      "result",
      "profile"),
  ALGORITHM_DURATION(
      Type.TIMER, "scheduler.scheduling.algorithm.duration", "Scheduling algorithm latency"),
  SLI_DURATION(
      Type.TIMER,
      "scheduler.pod.scheduling.sli.duration",
      "E2e latency for a pod being scheduled, from the time the pod enters the scheduling queue",
      "attempts"),
  SCHEDULING_ATTEMPTS(
      Type.SUMMARY,
      "scheduler.pod.scheduling.attempts",
      "Number of attempts to successfully schedule a pod."),
  PENDING_PODS(
      Type.GAUGE, "scheduler.pending.pods", "Number of pending pods, by the queue type.", "queue"),
  QUEUE_INCOMING_PODS(
      Type.COUNTER,
      "scheduler.queue.incoming.pods",
      "Number of pods added to scheduling queues by event and queue type.",
      "queue",
      "event"),
  PREEMPTION_ATTEMPTS(
      Type.COUNTER,
      "scheduler.preemption.attempts",
      "Total preemption attempts in the cluster till now"),
  PREEMPTION_VICTIMS(
      Type.SUMMARY, "scheduler.preemption.victims", "Number of selected preemption victims"),
  PREEMPTION_DRY_RUN_VICTIMS(
      Type.COUNTER,
      "berth.preemption.dry.run.victims",
      "Number of pods that policies with preemption mode DryRun would have evicted."),

  LEADING(Type.GAUGE, "berth.leading", "1 if this replica is the leader, 0 otherwise."),
  LEASE_RENEWAL(
      Type.TIMER,
      "berth.lease.renewal.duration",
      "Latency of acquiring or renewing the leader election Lease. Leadership ends after 5 s"
          + " without a renewal."),
  BINDING_DURATION(
      Type.TIMER,
      "berth.binding.duration",
      "Latency from a scheduling decision to the API server's response to its Binding"),
  BINDINGS_PENDING(
      Type.GAUGE,
      "berth.bindings.pending",
      "Number of Bindings that have been decided and that the API server has not answered yet."),
  BINDINGS_LIMIT(
      Type.GAUGE,
      "berth.bindings.limit",
      "Current limit of Bindings in flight, adapted to the API server's responses."),
  MAILBOX_MESSAGES(
      Type.GAUGE, "berth.mailbox.messages", "Number of messages that are waiting for the engine."),
  ENGINE_FAILURES(
      Type.COUNTER,
      "berth.engine.failures",
      "Number of events and pods on which the engine failed. Each failure is a bug."),
  QUARANTINED_PODS(
      Type.COUNTER,
      "berth.quarantined.pods",
      "Number of scheduling attempts that failed and were rolled back. The pod is quarantined for a"
          + " while."),
  REFUSED_OBJECTS(
      Type.COUNTER,
      "berth.refused.objects",
      "Number of objects that the engine rejected, by kind.",
      "kind"),
  WATER_LEVEL(
      Type.GAUGE,
      "berth.water.level",
      "Requested share of the scarcest resource in a scope of a WaterLevel priority, 0 to 1.",
      "policy",
      "scope"),
  WATER_LEVEL_PACKING(
      Type.GAUGE,
      "berth.water.level.packing",
      "1 if pods are packed in a scope of a WaterLevel priority, 0 if they are spread.",
      "policy",
      "scope"),
  MEASURED_NODES(
      Type.GAUGE,
      "berth.measured.nodes.ratio",
      "Share of the nodes with a usage report that is recent enough for a policy's MostAvailable, 0"
          + " to 1.",
      "policy"),
  USAGE_IGNORED(
      Type.COUNTER,
      "berth.usage.reports.ignored",
      "Number of node usage reports that were ignored or missing, by reason.",
      "reason"),
  USAGE_FAILURES(
      Type.COUNTER,
      "berth.usage.readings.failed",
      "Number of failed reads of node usage from the metrics API or Prometheus."),
  EVENTS_PENDING(
      Type.GAUGE, "berth.events.pending", "Number of events that are waiting to be written."),
  EVENTS_SUPPRESSED(
      Type.COUNTER,
      "berth.events.suppressed",
      "Number of events that were not written because of the rate limit of their object: a burst of"
          + " 25, then one every 5 minutes."),
  EVENTS_DROPPED(Type.COUNTER, "berth.events.dropped", "Number of events that were dropped."),
  WATCH_FAILURES(
      Type.COUNTER,
      "berth.watch.failures",
      "Number of failed attempts to list or watch a resource, by verb and reason.",
      "resource",
      "verb",
      "reason"),
  WATCH_UNSEEN(
      Type.GAUGE,
      "berth.watch.unseen.seconds",
      "Seconds for which a resource could not be watched; 0 while the watch works.",
      "resource"),
  PODS_UNRENDERED(
      Type.GAUGE,
      "berth.pods.unrendered",
      "Number of pods that were admitted without the configuration that a binding or their"
          + " annotations require."),
  WEBHOOK_DURATION(
      Type.TIMER,
      "berth.webhook.duration",
      "Latency of admission requests, from reading the body to the response",
      "path",
      "status"),
  WEBHOOK_REGISTERED(
      Type.GAUGE,
      "berth.webhook.registered",
      "1 if the webhook configurations contain the CA of this webhook, 0 otherwise."),
  WEBHOOK_REVIEWS(
      Type.COUNTER,
      "berth.webhook.reviews",
      "Number of admission reviews, by path and verdict.",
      "path",
      "verdict"),
  WEBHOOK_DENIALS(
      Type.COUNTER,
      "berth.webhook.denials",
      "Number of errors for which pods and objects were denied, by path and error code.",
      "path",
      "code"),
  WEBHOOK_PLATFORM_MISTAKES(
      Type.COUNTER,
      "berth.webhook.platform.mistakes",
      "Number of errors in the platform's configuration that caused pods to be admitted without"
          + " part of it.",
      "code"),
  WEBHOOK_CATALOG_CHECKS(
      Type.COUNTER,
      "berth.webhook.catalog.checks",
      "Number of reviews, by whether all configuration that existed on their arrival was known.",
      "result"),
  QUERY_REVIEWS_FORWARDED(
      Type.COUNTER,
      "berth.query.reviews.forwarded",
      "Number of reviews of the query API that the leader sent to a standby, by result. After a"
          + " failure, the leader answers by itself.",
      "result"),
  EXTENDER_DURATION(
      Type.TIMER,
      "berth.extender.duration",
      "Latency of requests to extenders, until the response or the timeout",
      "extender",
      "verb"),
  EXTENDER_ERRORS(
      Type.COUNTER,
      "berth.extender.errors",
      "Number of requests to extenders without a usable response, by reason.",
      "extender",
      "verb",
      "reason"),
  SHARED_NODES_VERIFIED(
      Type.COUNTER,
      "berth.shared.nodes.verified",
      "Number of nodes that were read back from the API server after a binding."),
  SHARED_NODES_EVICTIONS(
      Type.COUNTER,
      "berth.shared.nodes.evictions",
      "Number of pods that were evicted because another scheduler bound pods to the same"
          + " resources."),
  FOREIGN_BINDINGS(
      Type.COUNTER,
      "berth.foreign.bindings",
      "Number of pods that were waiting for Berth and were bound by another scheduler with the same"
          + " name.",
      "scheduler"),
  KUBELET_REFUSALS(
      Type.COUNTER,
      "berth.kubelet.refusals",
      "Number of pods that Berth bound and the kubelet rejected, by the kubelet's reason.",
      "reason"),
  GROUPS(
      Type.GAUGE,
      "berth.groups",
      "Number of pod groups, by the dialect in which they are described and by whether their"
          + " minimum is placed: waiting, placed.",
      "dialect",
      "state"),
  GROUP_PODS(
      Type.GAUGE,
      "berth.group.pods",
      "Number of pods in groups: waiting, or placed (bound to a node or succeeded).",
      "dialect",
      "state"),
  TENANT_QUEUE_PODS(
      Type.GAUGE,
      "berth.queue.pods",
      "Number of pods of a SchedulingQueue and its parts: running (bound, or about to be), or"
          + " pending.",
      "queue",
      "state"),
  TENANT_QUEUE_SHARE(
      Type.GAUGE,
      "berth.queue.share",
      "The largest part of the cluster's capacity that a SchedulingQueue has borrowed in any"
          + " resource, divided by its weight: 0 for nothing.",
      "queue"),
  TENANT_QUEUE_GUARANTEE_MET(
      Type.GAUGE,
      "berth.queue.guarantee.met",
      "0 while a pod waits that the guarantee of a SchedulingQueue would cover, 1 otherwise.",
      "queue"),
  TENANT_QUEUE_USE(
      Type.GAUGE,
      "berth.queue.used",
      "What the pods of a SchedulingQueue and its parts request, by resource: CPU in thousandths of"
          + " a core, memory in bytes.",
      "queue",
      "resource"),
  SHADOW_PODS(
      Type.GAUGE,
      "berth.shadow.pods",
      "Number of pods for which the shadow of a policy was tried since one of the two policies"
          + " changed, by the result: same, elsewhere, evicting, fits_nowhere, fits_instead,"
          + " failed; or skipped, to limit the additional work.",
      "policy",
      "shadow",
      "result"),
  SHADOW_WORK(
      Type.GAUGE,
      "berth.shadow.work.ratio",
      "Work for the shadow of a policy, divided by the work for all decisions of the policy.",
      "policy",
      "shadow"),
  GROUP_STATUS_FAILURES(
      Type.COUNTER,
      "berth.group.status.failures",
      "Number of failed requests to write the status of a PodGroup.",
      "dialect"),
  GPU_MILLI(
      Type.GAUGE,
      "berth.gpu.milli",
      "Computing capacity of the usable GPU cards that nodes describe, in thousandths of a card."),
  GPU_MILLI_USED(
      Type.GAUGE,
      "berth.gpu.milli.used",
      "Computing capacity of these cards that is allocated to pods, in thousandths of a card."),
  GPU_CARDS(
      Type.GAUGE,
      "berth.gpu.cards",
      "Number of usable GPU cards that nodes describe, by their free capacity in thousandths of a"
          + " card: 0, 1-249, 250-499, 500-749, 750-999, or 1000.",
      "free"),
  GPU_CARD_MILLI_USED(
      Type.GAUGE,
      "berth.gpu.card.milli.used",
      "Allocated capacity of each GPU card that a node describes, in thousandths. Reported only if"
          + " the cluster has at most 512 of these cards.",
      "node",
      "card"),
  GPU_NODES_CLOSED(
      Type.GAUGE,
      "berth.gpu.nodes.closed",
      "Number of nodes with a pod whose GPU cards are unknown. No further pods that request cards"
          + " are scheduled there."),
  DEVICES(
      Type.GAUGE,
      "berth.devices",
      "Number of devices that drivers publish for resource claims. With more than 512 pools, the"
          + " label pool is empty, and devices are counted by driver.",
      "driver",
      "pool"),
  DEVICES_ALLOCATED(
      Type.GAUGE,
      "berth.devices.allocated",
      "Number of devices that are allocated to resource claims, by the DeviceClass of the request."
          + " A shared device counts once for each claim.",
      "driver",
      "pool",
      "class"),
  DEVICES_GIVEN_TWICE(
      Type.GAUGE,
      "berth.devices.given.twice",
      "Number of devices that are allocated to several resource claims, although they are not"
          + " shared, and of counters and capacities of which claims have more than there is:"
          + " another scheduler has allocated them at the same moment."),
  NODES_WITH_COUNTED_DEVICES(
      Type.GAUGE,
      "berth.nodes.with.counted.devices",
      "Number of nodes that offer an extended resource by a device plugin and have a ResourceSlice"
          + " of their own, of any driver, by the resource that a DeviceClass names. Where the"
          + " class selects their devices, such a node serves pods of one kind at a time.",
      "resource"),
  GPU_NODES_UNREADABLE(
      Type.GAUGE,
      "berth.gpu.nodes.unreadable",
      "Number of nodes whose description of GPU cards cannot be parsed."),
  TRACE_SPANS_LOST(
      Type.COUNTER,
      "berth.trace.spans.lost",
      "Number of trace spans that did not reach the collector, by reason: queue_full,"
          + " export_failed.",
      "reason");

  /** The type of a metric, which determines the names of its series in Prometheus. */
  public enum Type {
    COUNTER("_total"),
    GAUGE(""),
    /** A histogram of seconds. */
    TIMER("_seconds"),
    /** A histogram of numbers. */
    SUMMARY("");

    private final String suffix;

    Type(String suffix) {
      this.suffix = suffix;
    }

    private boolean isHistogram() {
      return this == TIMER || this == SUMMARY;
    }

    /** Returns the name of the type in Prometheus. */
    public String prometheusName() {
      return isHistogram() ? "histogram" : name().toLowerCase(Locale.ROOT);
    }
  }

  private static final String OF_KUBE_SCHEDULER = "scheduler.";

  private final Type type;
  private final String meter;
  private final String description;

  @SuppressWarnings("ImmutableEnumChecker") // List.of
  private final List<String> labels;

  Metric(Type type, String meter, String description, String... labels) {
    this.type = type;
    this.meter = meter;
    this.description = description;
    this.labels = List.of(labels);
  }

  public Type type() {
    return type;
  }

  /** Returns the dotted name, from which the Prometheus name is derived. */
  String meter() {
    return meter;
  }

  public String description() {
    return description;
  }

  /** Returns the label names, in the order in which values are passed. */
  public List<String> labels() {
    return labels;
  }

  /** Returns the name of the metric in Prometheus, such as {@code berth_events_dropped_total}. */
  public String prometheusName() {
    return meter.replace('.', '_') + type.suffix;
  }

  /** Returns the names of the series of the metric, as used in expressions. */
  public List<String> series() {
    String name = prometheusName();
    return type.isHistogram()
        ? List.of(name + "_bucket", name + "_count", name + "_sum", name + "_max")
        : List.of(name);
  }

  /** Returns whether series of this name have the label. */
  public boolean hasLabel(String label, String seriesName) {
    return labels.contains(label) || (label.equals("le") && seriesName.endsWith("_bucket"));
  }

  /** Returns the metric of kube-scheduler with the same meaning, if there is one. */
  public Optional<String> equivalent() {
    return meter.startsWith(OF_KUBE_SCHEDULER) ? Optional.of(prometheusName()) : Optional.empty();
  }
}
