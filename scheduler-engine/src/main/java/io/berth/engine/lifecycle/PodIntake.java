package io.berth.engine.lifecycle;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.framework.Change;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.preemption.AwaitedVictims;
import io.berth.engine.preemption.GroupReservation;
import io.berth.engine.preemption.RefusedEvictions;
import io.berth.engine.preemption.RejectedByAdvice;
import io.berth.engine.preemption.Reservations;
import io.berth.engine.queue.Nominations;
import io.berth.engine.queue.SchedulingQueue;
import io.berth.engine.quota.Quotas;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.SchedulingUnit;
import io.berth.engine.topology.ToleratedNodes;
import io.berth.engine.volume.Volume;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Handles events about pods and their Bindings: updates the state, the queue, and nominations.
 * Whenever a pod is seen bound, assumed or deleted, its nomination ends.
 */
public final class PodIntake {
  private final ClusterState state;
  private final PendingPods pending;
  private final SchedulingQueue<SchedulingUnit, Change> queue;
  private final Quotas quotas;
  private final PendingGroups groups;
  private final AssumedPods assumed;
  private final Nominations nominations;
  private final AwaitedVictims awaited;
  private final RefusedEvictions refused;
  private final RejectedByAdvice rejectedByAdvice;
  private final GroupReservation rooms;
  private final ChosenCards chosenCards;
  private final AnnouncedNominations announced;
  private final Set<String> schedulerNames;

  public PodIntake(
      ClusterState state, PendingWork work, Reservations reservations, Set<String> schedulerNames) {
    this.state = state;
    this.pending = work.pods();
    this.queue = pending.queue();
    this.quotas = pending.quotas();
    this.groups = work.groups();
    this.assumed = work.assumed();
    this.announced = work.announced();
    this.nominations = reservations.nominations();
    this.awaited = reservations.awaited();
    this.refused = reservations.refused();
    this.rejectedByAdvice = reservations.rejectedByAdvice();
    this.rooms = reservations.rooms();
    this.chosenCards = new ChosenCards(state.cards());
    this.schedulerNames = schedulerNames;
  }

  /**
   * Handles a bound pod that cannot be parsed. Its node accepts no further pods; the last state of
   * the pod that could be parsed still counts there.
   */
  public void unreadable(PodRef ref, String nodeName, Instant now) {
    PodEntry known = state.pods().byUid(ref.uid());
    if (known != null && !known.model().nodeName().equals(nodeName)) {
      gone(known, now);
    }
    state.unreadable().add(ref.uid(), nodeName);
  }

  private void readable(String uid, Instant now) {
    String nodeName = state.unreadable().remove(uid);
    if (nodeName != null && !state.unreadable().areOn(nodeName)) {
      queue.wake(new Change.NodeReadable(nodeName), now);
    }
  }

  /** Handles the current state of a pod. */
  public void upserted(PodModel model, Instant now) {
    readable(model.ref().uid(), now);
    PodEntry pod = state.pods().byUid(model.ref().uid());
    PodEntry namesake = state.pods().byName(model.ref().namespace(), model.ref().name());
    if (namesake != null && namesake != pod) {
      gone(namesake, now);
    }
    if (model.finished()) {
      if (pod != null) {
        gone(pod, Optional.of(model), now);
      } else {
        groups.finished(model, now);
      }
    } else if (!model.nodeName().isEmpty()) {
      bound(pod, model, now);
    } else if (pod != null && !pod.model().nodeName().isEmpty()) {
      // A bound pod is never unbound: the event is outdated.
      return;
    } else if (pod != null && assumed.contains(model.ref().uid())) {
      String shownBefore = pod.model().nominatedNode();
      change(pod, model, now);
      if (!model.nominatedNode().equals(shownBefore)) {
        announced.isShown(model.ref().uid(), model.nominatedNode());
      }
      groups.settled(pod, now);
    } else {
      waits(pod, model, now);
    }
  }

  private void bound(@Nullable PodEntry known, PodModel model, Instant now) {
    String uid = model.ref().uid();
    boolean wasAssumed = assumed.remove(uid);
    end(uid);
    announced.forget(uid);
    rejectedByAdvice.forget(uid);
    if (known == null) {
      PodEntry pod = state.addPod(model);
      state.place(pod, model.nodeName());
      groups.settled(pod, now);
      queue.wake(new Change.PodPlaced(model), now);
      return;
    }
    PodModel kept = chosenCards.seen(known, model, wasAssumed);
    state.settle(known);
    int expected = state.nodes().slotOf(model.nodeName());
    boolean wasBound = !known.model().nodeName().isEmpty();
    change(known, kept, now);
    pending.leave(uid);
    if (known.slot() != expected || expected < 0) {
      state.place(known, model.nodeName());
    }
    groups.confirmed(known);
    groups.settled(known, now);
    if (!wasAssumed && !wasBound) {
      queue.wake(new Change.PodPlaced(model), now);
    }
  }

  /** Applies a change of a pod on a node, and wakes the units that it may help. */
  private void change(PodEntry pod, PodModel model, Instant now) {
    PodModel before = pod.model();
    state.updatePod(pod, model);
    if (!before.labels().equals(model.labels())
        || !before.otherQueues().equals(model.otherQueues())
        || before.terminating() != model.terminating()
        || !before.spec().requests().held().equals(model.spec().requests().held())
        || !before.cards().equals(model.cards())
        || before.cardHandout() != model.cardHandout()) {
      queue.wake(new Change.PodChanged(before, model), now);
    }
  }

  private void waits(@Nullable PodEntry known, PodModel model, Instant now) {
    if (model.terminating() || !schedulerNames.contains(model.schedulerName())) {
      if (known != null) {
        gone(known, now);
      }
      return;
    }
    PodEntry pod = known;
    List<Change> changes = List.of();
    String shownBefore = known == null ? "" : known.model().nominatedNode();
    if (pod == null) {
      pod = state.addPod(model);
    } else {
      PodModel before = pod.model();
      if (!before.spec().equals(model.spec())
          || !before.labels().equals(model.labels())
          || !before.otherQueues().equals(model.otherQueues())
          || !before.policy().equals(model.policy())) {
        changes = List.of(new Change.SelfChanged());
        nominations.podChanged(model.ref().uid());
      }
      state.updatePod(pod, model);
    }
    if (!model.nominatedNode().equals(shownBefore)) {
      nominationShown(model.ref().uid(), model.nominatedNode());
    }
    if (!changes.isEmpty()) {
      rejectedByAdvice.forget(model.ref().uid());
      pending.changed(model.ref().uid(), now);
    }
    groups.waits(pod, changes, now);
  }

  /** Handles a nomination that others set or removed; Berth's own writes are already known. */
  private void nominationShown(String uid, String nodeName) {
    if (announced.isShown(uid, nodeName) || nominations.nodeOf(uid).orElse("").equals(nodeName)) {
      return;
    }
    end(uid);
    if (!nodeName.isEmpty()) {
      nominations.nominate(uid, nodeName);
    }
  }

  /**
   * Announces the pod's nomination in a decision.
   *
   * @param nodeName the nominated node; empty if there is none
   */
  public void announced(PodEntry pod, String nodeName) {
    announced.announce(pod.ref().uid(), nodeName, pod.model().nominatedNode());
  }

  /**
   * Announces the node of a placed pod as its nomination, if it is written to the pod's status
   * while its Binding is prepared.
   *
   * @return the same decision
   */
  public Decision.Placed announced(PodEntry pod, Decision.Placed placed) {
    if (placed.isNominatedMeanwhile()) {
      announced(pod, placed.nodeName());
    }
    return placed;
  }

  /** Handles the deletion of a pod; ignores that of an older pod with the same name. */
  public void removed(PodRef ref, Instant now) {
    readable(ref.uid(), now);
    PodEntry pod = state.pods().byUid(ref.uid());
    if (pod != null) {
      gone(pod, now);
    }
    groups.finishedGone(ref.uid(), now);
  }

  private void gone(PodEntry pod, Instant now) {
    gone(pod, Optional.empty(), now);
  }

  private void gone(PodEntry pod, Optional<PodModel> finished, Instant now) {
    String uid = pod.ref().uid();
    String heldOn = heldOn(pod);
    if (!heldOn.isEmpty()) {
      rooms.left(heldOn, now);
    }
    boolean inFlight = assumed.remove(uid);
    pending.leave(uid);
    boolean wasNominated = end(uid);
    announced.forget(uid);
    releasing(() -> leaves(pod, inFlight), now);
    state.removePod(pod);
    groups.gone(pod, finished, now);
    if (!heldOn.isEmpty() || wasNominated) {
      queue.wake(new Change.PodGone(pod.model(), wasNominated ? "" : heldOn), now);
    } else {
      queue.wake(new Change.TurnGivenUp(), now);
    }
    awaited.gone(uid);
    refused.forget(uid);
    rejectedByAdvice.forget(uid);
    chosenCards.forget(uid);
  }

  private void leaves(PodEntry pod, boolean inFlight) {
    if (inFlight) {
      state.displaceGone(pod);
    } else {
      state.displace(pod);
      state.endedWithoutPod(pod.ref().uid(), false);
    }
  }

  /** Returns the node where the pod holds resources; empty if it holds none. */
  private String heldOn(PodEntry pod) {
    return pod.slot() == PodEntry.NOWHERE ? "" : state.nodes().name(pod.slot());
  }

  /** Makes a change, and wakes the units that the holdings which it releases may help. */
  private void releasing(Runnable change, Instant now) {
    long before = state.storage().version();
    long devicesBefore = state.devices().version();
    change.run();
    if (state.devices().version() != devicesBefore) {
      queue.wake(Change.DevicesChanged.released(), now);
    }
    if (state.storage().version() != before) {
      queue.wake(new Change.StorageChanged(Volume.KIND, "", "", Optional.empty()), now);
    }
  }

  /** Ends the reservations for a pod; returns whether there were any. */
  private boolean end(String uid) {
    awaited.forget(uid);
    return nominations.end(uid).isPresent();
  }

  /**
   * Handles a placed pod: it counts on the node with all its holdings, although its Binding is not
   * sent yet.
   */
  public void assumed(PodEntry pod, Instant now) {
    assumed.add(pod.ref().uid());
    rejectedByAdvice.forget(pod.ref().uid());
    end(pod.ref().uid());
    if (quotas.areUsed() && !nominations.isEmpty()) {
      endOutranked(pod, heldOn(pod), now);
    }
    groups.settled(pod, now);
    queue.wake(new Change.PodPlaced(pod.model()), now);
  }

  /**
   * Ends the reservations on a node that the placed pod outranks, and retries their pods: they
   * count as use of its queue, which would otherwise seem to use the same resources twice.
   */
  private void endOutranked(PodEntry pod, String nodeName, Instant now) {
    for (String uid : List.copyOf(nominations.podsOn(nodeName))) {
      PodEntry other = state.pods().byUid(uid);
      if (other != null && state.evictionOrder().outranks(pod, other)) {
        end(uid);
        groups.retryElsewhere(uid, now);
      }
    }
  }

  /**
   * Handles a pod that was placed before this engine existed; ignores pods that are bound. Of a pod
   * that is deleted, the devices are still in use.
   */
  public void assumed(ClusterEvent.PodAssumed event, Instant now) {
    String uid = event.pod().uid();
    PodEntry pod = state.pods().byUid(uid);
    if (pod == null) {
      state.assumeWithoutPod(uid, event.preBind());
      return;
    }
    if (assumed.isPlaced(uid)) {
      return;
    }
    groups.handedOver(pod);
    state.assume(pod, event.nodeName(), event.preBind(), event.assignments());
    if (pod.slot() != PodEntry.NOWHERE) {
      assumed(pod, now);
    } else {
      assumed.add(uid);
      groups.settled(pod, now);
    }
    pending.consultations().drop(uid);
    queue.placedWithOthers(uid, pod, pod.priority(), now);
  }

  /** Handles an aborted attempt: the pod has no node and no reservation. */
  void abandoned(PodEntry pod, Instant now) {
    String uid = pod.ref().uid();
    assumed.remove(uid);
    state.abandon(pod);
    end(uid);
    groups.settled(pod, now);
  }

  /** Handles a successful Binding, which the watch will show. */
  public void bindingConfirmed(PodRef ref, Instant now) {
    queue.done(ref.uid());
    PodEntry pod = state.pods().byUid(ref.uid());
    if (pod != null) {
      chosenCards.confirmed(pod).ifPresent(model -> change(pod, model, now));
      groups.confirmed(pod);
    } else {
      releasing(() -> state.endedWithoutPod(ref.uid(), true), now);
    }
  }

  /**
   * Handles a rejected Binding: removes the pod from its node.
   *
   * @param retry whether to retry it
   */
  public void bindingFailed(PodRef ref, boolean retry, Instant now) {
    PodEntry pod = state.pods().byUid(ref.uid());
    if (pod == null) {
      releasing(() -> state.endedWithoutPod(ref.uid(), false), now);
      return;
    }
    if (!assumed.remove(ref.uid())) {
      return;
    }
    chosenCards.forget(ref.uid());
    announced(pod, ""); // its status is written without a nomination
    String heldOn = heldOn(pod);
    releasing(() -> state.displace(pod), now);
    boolean lacking = groups.bindingFailed(pod, retry, now);
    if (!lacking && retry) {
      queue.failed(ref.uid(), now);
    } else if (!lacking) {
      queue.remove(ref.uid());
    }
    queue.wake(new Change.PodGone(pod.model(), heldOn), now);
    awaited.gone(ref.uid());
  }

  /**
   * Handles the rejected eviction of a pod. Pods that waited for it lose their reservations and are
   * retried at once; the pod is not selected as a victim for some time.
   */
  public void evictionFailed(PodRef ref, Instant now) {
    PodEntry victim = state.pods().byUid(ref.uid());
    if (victim == null || victim.model().terminating()) {
      return; // deleted, or terminating anyway
    }
    refused.refused(victim, now);
    state.choose(victim, false);
    groups.keeps(victim, now);
    for (String uid : List.copyOf(awaited.preemptorsOf(ref.uid()))) {
      end(uid);
      groups.retryElsewhere(uid, now);
    }
  }

  /** Handles a changed node: advisors may answer otherwise about it. */
  public void nodeChanged(NodeModel before, NodeModel after, int slot) {
    rejectedByAdvice.nodeChanged(before, after, slot);
  }

  /** Handles a removed node: reservations on it end, and their pods are retried. */
  public void nodeGone(String nodeName, int slot, Instant now) {
    rejectedByAdvice.nodeGone(nodeName, slot);
    for (String uid : List.copyOf(nominations.podsOn(nodeName))) {
      end(uid);
      groups.retryElsewhere(uid, now);
    }
  }

  /**
   * Wakes the pods behind nominations that have ended or moved, like those behind a deleted pod.
   * Called after every event and every attempt.
   */
  public void wakeBehindEndedNominations(Instant now) {
    nominations.takeEnded(
        (uid, nodeName) -> {
          PodEntry pod = state.pods().byUid(uid); // a pod that is gone has woken others itself
          if (pod != null && !heldOn(pod).equals(nodeName)) {
            queue.wake(new Change.PodGone(pod.model(), nodeName), now);
          }
        });
  }

  /**
   * Retries the pods that are nominated for a node on which they cannot start any more, however
   * long their victims take to terminate.
   *
   * @param node the node, which was cordoned or got another taint
   */
  public void nodeWorsened(NodeModel node, Instant now) {
    for (String uid : List.copyOf(nominations.podsOn(node.name()))) {
      PodEntry pod = state.pods().byUid(uid);
      if (pod != null
          && (node.unschedulable()
              || !ToleratedNodes.tolerates(pod.spec().tolerations(), node.taints()))) {
        groups.retryElsewhere(uid, now);
      }
    }
  }

  /**
   * Ends the reservations of pods on the node that the pod outranks, and retries them, because the
   * pod takes the node's resources.
   *
   * @return the pods that lost their reservation
   */
  public List<PodRef> yieldTo(PodEntry pod, String nodeName, Instant now) {
    List<PodRef> yielding = new ArrayList<>();
    for (String uid : List.copyOf(nominations.podsOn(nodeName))) {
      PodEntry other = state.pods().byUid(uid);
      if (other == null) {
        end(uid);
      } else if (other != pod && state.evictionOrder().outranks(pod, other)) {
        awaited.forget(uid);
        nominations.handOver(uid);
        announced(other, "");
        groups.retryElsewhere(uid, now);
        yielding.add(other.ref());
      }
    }
    return yielding;
  }
}
