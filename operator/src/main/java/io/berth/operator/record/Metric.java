package io.berth.operator.record;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Every metric of Berth. What kube-scheduler has too bears its name, labels and buckets, so that
 * dashboards and alerts carry over; all others begin with {@code berth_}. {@code docs/metrics.md}
 * is generated from this list.
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
      "Pods that would have been evicted by policies whose preemption is a dry run."),

  LEADING(Type.GAUGE, "berth.leading", "1 while this replica leads."),
  LEASE_RENEWAL(
      Type.TIMER,
      "berth.lease.renewal.duration",
      "Time to take or renew the Lease of the leader election; a term ends after 5 s without."),
  BINDING_DURATION(
      Type.TIMER,
      "berth.binding.duration",
      "From a decision to the API server's answer to its Binding"),
  BINDINGS_PENDING(
      Type.GAUGE, "berth.bindings.pending", "Bindings that were decided and not answered yet."),
  BINDINGS_LIMIT(
      Type.GAUGE,
      "berth.bindings.limit",
      "How many Bindings may be in flight now, as learned from the API server's answers."),
  MAILBOX_MESSAGES(Type.GAUGE, "berth.mailbox.messages", "Messages that wait for the engine."),
  ENGINE_FAILURES(
      Type.COUNTER,
      "berth.engine.failures",
      "Events or pods that the engine failed on; each is a bug."),
  QUARANTINED_PODS(
      Type.COUNTER,
      "berth.quarantined.pods",
      "Attempts that failed and were undone; the pod is set aside for a while."),
  REFUSED_OBJECTS(
      Type.COUNTER,
      "berth.refused.objects",
      "Objects that the engine would not take in, by kind.",
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
      "1 while a scope of a WaterLevel priority is packed, 0 while it is spread.",
      "policy",
      "scope"),
  MEASURED_NODES(
      Type.GAUGE,
      "berth.measured.nodes.ratio",
      "Share of the nodes that have a usage report young enough for a policy's MostAvailable, 0 to"
          + " 1.",
      "policy"),
  USAGE_IGNORED(
      Type.COUNTER,
      "berth.usage.reports.ignored",
      "Usage reports of nodes that were ignored, or missing from a reading, by reason.",
      "reason"),
  USAGE_FAILURES(
      Type.COUNTER,
      "berth.usage.readings.failed",
      "Readings of what nodes use that failed: the metrics API or Prometheus did not answer well."),
  EVENTS_PENDING(Type.GAUGE, "berth.events.pending", "Events that wait to be written."),
  EVENTS_SUPPRESSED(
      Type.COUNTER,
      "berth.events.suppressed",
      "Events that were not written because their object has had 25, and one every 5 minutes."),
  EVENTS_DROPPED(Type.COUNTER, "berth.events.dropped", "Events that were given up."),
  WATCH_FAILURES(
      Type.COUNTER,
      "berth.watch.failures",
      "Attempts to list or watch a kind that failed.",
      "resource",
      "verb",
      "reason"),
  WATCH_UNSEEN(
      Type.GAUGE,
      "berth.watch.unseen.seconds",
      "For how long a kind could not be watched; 0 while it is.",
      "resource"),
  PODS_UNRENDERED(
      Type.GAUGE,
      "berth.pods.unrendered",
      "Pods that were admitted without what a binding or their annotations ask for."),
  WEBHOOK_DURATION(
      Type.TIMER,
      "berth.webhook.duration",
      "Admission requests, from their body to their answer",
      "path",
      "status"),
  WEBHOOK_REGISTERED(
      Type.GAUGE,
      "berth.webhook.registered",
      "1 while the webhook configurations name this webhook's authority."),
  WEBHOOK_REVIEWS(
      Type.COUNTER,
      "berth.webhook.reviews",
      "Admission reviews by path and verdict.",
      "path",
      "verdict"),
  WEBHOOK_DENIALS(
      Type.COUNTER,
      "berth.webhook.denials",
      "Reasons for which pods and objects were denied.",
      "path",
      "code"),
  WEBHOOK_PLATFORM_MISTAKES(
      Type.COUNTER,
      "berth.webhook.platform.mistakes",
      "Pods that were admitted without something because the platform made a mistake.",
      "code"),
  WEBHOOK_CATALOG_CHECKS(
      Type.COUNTER,
      "berth.webhook.catalog.checks",
      "Reviews, by whether all configuration was known that existed when they came.",
      "result"),
  EXTENDER_DURATION(
      Type.TIMER,
      "berth.extender.duration",
      "From a request to an extender to its answer, or to the end of its time",
      "extender",
      "verb"),
  EXTENDER_ERRORS(
      Type.COUNTER,
      "berth.extender.errors",
      "Requests to extenders that got no answer that could be used.",
      "extender",
      "verb",
      "reason"),
  SHARED_NODES_VERIFIED(Type.COUNTER, "berth.shared.nodes.verified", "Nodes that were read back."),
  SHARED_NODES_EVICTIONS(
      Type.COUNTER,
      "berth.shared.nodes.evictions",
      "Pods that were evicted because another scheduler had given their room away too."),
  FOREIGN_BINDINGS(
      Type.COUNTER,
      "berth.foreign.bindings",
      "Pods that waited for Berth and were bound by another scheduler of the same name.",
      "scheduler"),
  KUBELET_REFUSALS(
      Type.COUNTER,
      "berth.kubelet.refusals",
      "Pods that Berth bound and the kubelet would not take, by its reason.",
      "reason"),
  GROUPS(
      Type.GAUGE,
      "berth.groups",
      "Groups of pods by what described them, and by whether their minimum is placed: waiting,"
          + " placed.",
      "dialect",
      "state"),
  GROUP_PODS(
      Type.GAUGE,
      "berth.group.pods",
      "Pods of these groups: waiting ones, and those that have a node or have succeeded.",
      "dialect",
      "state"),
  GROUP_STATUS_FAILURES(
      Type.COUNTER,
      "berth.group.status.failures",
      "Requests to write the status of a PodGroup that failed.",
      "dialect"),
  GPU_MILLI(
      Type.GAUGE,
      "berth.gpu.milli",
      "Computing power of the described GPU cards that may be used, in thousandths of a card."),
  GPU_MILLI_USED(Type.GAUGE, "berth.gpu.milli.used", "The part of it that pods hold."),
  GPU_CARDS(
      Type.GAUGE,
      "berth.gpu.cards",
      "Described GPU cards that may be used, by how many thousandths of each are free: 0, 1-249,"
          + " 250-499, 500-749, 750-999, or 1000.",
      "free"),
  GPU_CARD_MILLI_USED(
      Type.GAUGE,
      "berth.gpu.card.milli.used",
      "The part of each described GPU card that pods hold, in thousandths. Only while the cluster"
          + " has at most 512 such cards.",
      "node",
      "card"),
  GPU_NODES_CLOSED(
      Type.GAUGE,
      "berth.gpu.nodes.closed",
      "Nodes with a pod whose GPU cards are not known: they take no more pods that ask for cards."),
  GPU_NODES_UNREADABLE(
      Type.GAUGE,
      "berth.gpu.nodes.unreadable",
      "Nodes whose description of their GPU cards cannot be parsed."),
  TRACE_SPANS_LOST(
      Type.COUNTER,
      "berth.trace.spans.lost",
      "Spans of traces that did not reach the collector: queue_full, export_failed.",
      "reason");

  /** A metric, and the names of its series in Prometheus. */
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

    /** The type as Prometheus names it. */
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

  /** The name with dots, from which that of Prometheus follows. */
  String meter() {
    return meter;
  }

  public String description() {
    return description;
  }

  /** The labels, in the order in which their values are given. */
  public List<String> labels() {
    return labels;
  }

  /** The name of the metric, such as {@code berth_events_dropped_total}. */
  public String prometheusName() {
    return meter.replace('.', '_') + type.suffix;
  }

  /** The names of its series, which expressions use. */
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

  /** The metric of kube-scheduler with the same meaning. */
  public Optional<String> equivalent() {
    return meter.startsWith(OF_KUBE_SCHEDULER) ? Optional.of(prometheusName()) : Optional.empty();
  }
}
