package io.berth.engine.api;

import io.berth.engine.decision.DecisionRecord;
import io.berth.engine.framework.Consultation;
import io.berth.engine.model.Assignment;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.PreBindStep;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A decision about one pod, with its reasons. */
public sealed interface Decision extends Outcome {
  PodRef pod();

  /** The reasons, with every number that the decision is based on. */
  DecisionRecord record();

  /** Returns the attempt that this decision ended. */
  Attempt attempt();

  /**
   * A node was selected for the pod. The pod is counted there from now on. Answer with {@link
   * ClusterEvent.BindingConfirmed} or {@link ClusterEvent.BindingFailed}.
   *
   * @param assignments the resources of the node that were chosen for the pod
   * @param annotations for the Binding, which the API server copies into the pod; the engine leaves
   *     them to the sender of the Binding, who writes the assignments in the format of the node's
   *     agent
   * @param labels for the Binding, which the API server copies into the pod, like the annotations
   * @param preBind the steps to complete, in this order, before the Binding is sent
   * @param binder the advisor that makes the Binding; empty if the caller makes it
   */
  record Placed(
      PodRef pod,
      Attempt attempt,
      String nodeName,
      List<Assignment> assignments,
      Map<String, String> annotations,
      Map<String, String> labels,
      List<PreBindStep> preBind,
      Optional<Consultation> binder,
      DecisionRecord record)
      implements Decision {
    public Placed {
      assignments = List.copyOf(assignments);
      annotations = Map.copyOf(annotations);
      labels = Map.copyOf(labels);
      preBind = List.copyOf(preBind);
    }

    /**
     * Returns whether something has to be prepared before the Binding is sent, which can take
     * minutes. Until then, the pod is nominated for its node in its status, so that others see that
     * it has a place.
     */
    public boolean isNominatedMeanwhile() {
      return !preBind.isEmpty();
    }

    /** Returns the assignment of this type; empty if there is none. */
    public <A extends Assignment> Optional<A> assignment(Class<A> type) {
      return Assignment.ofType(assignments, type);
    }

    /** Returns the same decision with these annotations and labels for the Binding as well. */
    public Placed with(Map<String, String> moreAnnotations, Map<String, String> moreLabels) {
      return new Placed(
          pod,
          attempt,
          nodeName,
          assignments,
          joined(annotations, moreAnnotations),
          joined(labels, moreLabels),
          preBind,
          binder,
          record);
    }

    private static Map<String, String> joined(Map<String, String> some, Map<String, String> more) {
      Map<String, String> all = new HashMap<>(some);
      all.putAll(more);
      return all;
    }

    /** Returns the same decision with one more step before the Binding. */
    public Placed after(PreBindStep step) {
      List<PreBindStep> steps = new ArrayList<>(preBind);
      steps.add(step);
      return withSteps(steps);
    }

    /** Returns the same decision without steps before the Binding. */
    public Placed without(PreBindStep step) {
      List<PreBindStep> steps = new ArrayList<>(preBind);
      steps.remove(step);
      return withSteps(steps);
    }

    /** Returns the first step of this type before the Binding; empty if there is none. */
    public <S extends PreBindStep> Optional<S> step(Class<S> kind) {
      return preBind.stream().filter(kind::isInstance).map(kind::cast).findFirst();
    }

    private Placed withSteps(List<PreBindStep> steps) {
      return new Placed(
          pod, attempt, nodeName, assignments, annotations, labels, steps, binder, record);
    }
  }

  /**
   * No node fits. The pod waits for an event that may help.
   *
   * @param cause what the pod waits for
   * @param message the reason, in kube-scheduler's wording
   * @param nominatedNode the node that the pod is still nominated for while its victims terminate;
   *     empty if there is none
   * @param waits whether a node is expected to fit soon, so that the rejection need not be reported
   * @param wouldEvict the evictions that would make room, if the pod's policy only reports them
   */
  record Unschedulable(
      PodRef pod,
      Attempt attempt,
      WaitCause cause,
      String message,
      boolean waits,
      Optional<String> nominatedNode,
      Optional<WouldEvict> wouldEvict,
      DecisionRecord record)
      implements Decision {}

  /** The pods that would be evicted from a node if the policy's preemption were enforced. */
  record WouldEvict(String nodeName, List<PodRef> victims) {
    public WouldEvict {
      victims = List.copyOf(victims);
    }
  }

  /**
   * No node fits now, but one will when the victims have terminated; the pod is nominated for it.
   *
   * @param victims the pods to delete, in kube-scheduler's order; empty where all of them are
   *     already terminating
   * @param yielding pods of lower priority that are no longer nominated for the node
   */
  record Nominated(
      PodRef pod,
      Attempt attempt,
      String nodeName,
      List<PodRef> victims,
      List<PodRef> yielding,
      String message,
      DecisionRecord record)
      implements Decision {
    public Nominated {
      victims = List.copyOf(victims);
      yielding = List.copyOf(yielding);
    }
  }

  /**
   * The attempt failed: a plugin threw an exception, or the attempt exceeded its budget of steps.
   * The attempt was undone, and the pod is quarantined. The cause is a bug, or a pod that is too
   * complex. Other pods are not affected.
   *
   * @param until the time of the retry
   * @param message the cause, for the pod's owner
   */
  record Quarantined(
      PodRef pod,
      Attempt attempt,
      Instant until,
      String message,
      Throwable cause,
      DecisionRecord record)
      implements Decision {}

  /**
   * The pod has to release its node: the start of its group failed, and the pod is of no use
   * without the others. Do not send a Binding that is not sent yet, and answer with {@link
   * ClusterEvent.BindingFailed}; evict a pod that is bound.
   *
   * @param message the reason, for the pod's owner
   */
  record GivenBack(
      PodRef pod, Attempt attempt, String nodeName, String message, DecisionRecord record)
      implements Decision {}
}
