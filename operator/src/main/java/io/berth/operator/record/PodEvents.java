package io.berth.operator.record;

import io.berth.engine.api.Decision.GivenBack;
import io.berth.engine.api.Decision.Nominated;
import io.berth.engine.api.Decision.Placed;
import io.berth.engine.api.Decision.WouldEvict;
import io.berth.engine.model.PodRef;
import io.berth.operator.record.ObjectEvent.Subject;
import java.util.Optional;

/**
 * The events about scheduling decisions on pods and nodes. Reasons, actions and messages are the
 * same as kube-scheduler's wherever it reports the same.
 */
public final class PodEvents {
  private static final String SCHEDULING = "Scheduling";
  private static final String PREEMPTING = "Preempting";

  private final EventRecorder events;

  public PodEvents(EventRecorder events) {
    this.events = events;
  }

  /** Reports that a pod was bound. */
  public void scheduled(Placed placed) {
    PodRef pod = placed.pod();
    events.report(
        ObjectEvent.normal(
            Subject.pod(pod),
            "Scheduled",
            "Binding",
            "Successfully assigned "
                + pod.namespace()
                + "/"
                + pod.name()
                + " to "
                + placed.nodeName()));
  }

  /** Reports that a pod could not be placed, or its Binding was rejected. */
  public void failedScheduling(PodRef pod, String message) {
    events.report(ObjectEvent.warning(Subject.pod(pod), "FailedScheduling", SCHEDULING, message));
  }

  /** Reports to a victim that it was preempted on its node. */
  public void preempted(Nominated nominated, PodRef victim) {
    preempted(nominated, victim, "");
  }

  /** Reports to a victim that it was preempted while its volumes were still being prepared. */
  public void preemptedUnbound(Nominated nominated, PodRef victim) {
    preempted(nominated, victim, " before it was bound");
  }

  private void preempted(Nominated nominated, PodRef victim, String when) {
    aboutPreemption(
        victim,
        Optional.of(nominated.pod()),
        "Preempted",
        "Preempted by pod %s on node %s%s"
            .formatted(nominated.pod().uid(), nominated.nodeName(), when));
  }

  /**
   * Reports to the victims of a preemption that its policy does not enforce. A preemptor of another
   * namespace is not named, because the victim's owner may not be allowed to see it.
   */
  public void wouldPreempt(PodRef preemptor, WouldEvict named) {
    for (PodRef victim : named.victims()) {
      boolean isSameNamespace = victim.namespace().equals(preemptor.namespace());
      aboutPreemption(
          victim,
          isSameNamespace ? Optional.of(preemptor) : Optional.empty(),
          "PreemptionDryRun",
          ("%s would have this pod evicted to be placed on node %s if preemption of its"
                  + " SchedulingPolicy were enforced")
              .formatted(
                  isSameNamespace
                      ? "Pod %s/%s".formatted(preemptor.namespace(), preemptor.name())
                      : "A pod of another namespace",
                  named.nodeName()));
    }
  }

  private void aboutPreemption(
      PodRef victim, Optional<PodRef> preemptor, String reason, String message) {
    events.report(
        new ObjectEvent(
            Subject.pod(victim), preemptor.map(Subject::pod), false, reason, PREEMPTING, message));
  }

  /** Reports that a pod releases its node because its group could not be completed. */
  public void groupIncomplete(GivenBack decision) {
    events.report(
        ObjectEvent.warning(
            Subject.pod(decision.pod()), "GroupIncomplete", SCHEDULING, decision.message()));
  }

  /** Reports that the description of a node's GPU cards cannot be parsed. */
  public void unreadableCards(String nodeName, String reason) {
    events.report(
        ObjectEvent.warning(
            Subject.node(nodeName),
            "UnreadableGpuCards",
            SCHEDULING,
            "Berth places no pods on the GPU cards of this node: " + reason));
  }
}
