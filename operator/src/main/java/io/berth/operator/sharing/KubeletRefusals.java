package io.berth.operator.sharing;

import io.berth.operator.feed.FedPod;
import io.berth.operator.record.BerthMetrics;
import io.berth.operator.record.EventRecorder;
import io.berth.operator.record.Metric;
import io.berth.operator.record.ObjectEvent;
import io.berth.operator.record.ObjectEvent.Subject;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Counts Berth's pods that a kubelet rejects, by reason, and reports each on the pod's owner: the
 * pod has failed and is soon deleted, so an event on the pod itself would rarely be seen.
 */
final class KubeletRefusals {

  private static final String OUT_OF = "OutOf";
  private static final String EXTENDED = "ExtendedResource";
  private static final Set<String> RESOURCES = Set.of("cpu", "memory", "ephemeral-storage", "pods");
  private static final Set<String> OTHER_REASONS =
      Set.of(
          "NodeAffinity",
          "NodeName",
          "NodePorts",
          "TaintToleration",
          "UnexpectedAdmissionError",
          "TopologyAffinityError",
          "PodOSSelectorNodeLabelDoesNotMatch",
          "PodOSNotSupported");

  private final Set<String> schedulerNames;
  private final EventRecorder events;
  private final BerthMetrics metrics;

  KubeletRefusals(Set<String> schedulerNames, EventRecorder events, BerthMetrics metrics) {
    this.schedulerNames = schedulerNames;
    this.events = events;
    this.metrics = metrics;
    metrics.startAtZero(Metric.KUBELET_REFUSALS, OTHER_REASONS);
    metrics.startAtZero(
        Metric.KUBELET_REFUSALS,
        Stream.concat(RESOURCES.stream(), Stream.of(EXTENDED)).map(OUT_OF::concat).toList());
  }

  /** Processes a change of a pod. */
  void changed(FedPod before, FedPod now) {
    if (before.finished() || !schedulerNames.contains(now.schedulerName())) {
      return;
    }
    Optional<String> reason = label(now.failureReason());
    if (reason.isEmpty()) {
      return;
    }
    metrics.count(Metric.KUBELET_REFUSALS, reason.get());
    now.controller().ifPresent(owner -> events.report(event(now, owner)));
  }

  private static ObjectEvent event(FedPod pod, OwnerReference owner) {
    Subject subject =
        new Subject(
            owner.getApiVersion(),
            owner.getKind(),
            pod.ref().namespace(),
            owner.getName(),
            owner.getUid());
    return new ObjectEvent(
        subject,
        Optional.of(Subject.pod(pod.ref())),
        true,
        "PodRefusedByKubelet",
        "Scheduling",
        "The kubelet of node %s refused pod %s: %s: %s"
            .formatted(
                pod.nodeName(), pod.ref().name(), pod.failureReason(), pod.failureMessage()));
  }

  /**
   * Returns the reason as a metric label with few values; empty if the pod failed for another
   * cause.
   */
  static Optional<String> label(String reason) {
    if (reason.startsWith(OUT_OF)) {
      return Optional.of(
          RESOURCES.contains(reason.substring(OUT_OF.length())) ? reason : OUT_OF + EXTENDED);
    }
    return OTHER_REASONS.contains(reason) ? Optional.of(reason) : Optional.empty();
  }
}
