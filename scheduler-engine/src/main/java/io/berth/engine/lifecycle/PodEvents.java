package io.berth.engine.lifecycle;

import io.berth.engine.ClusterEvent;
import io.berth.engine.PodRef;
import io.berth.engine.framework.Change;
import io.berth.engine.model.PodModel;
import io.berth.engine.preemption.AwaitedVictims;
import io.berth.engine.preemption.Promises;
import io.berth.engine.preemption.RefusedEvictions;
import io.berth.engine.preemption.RoomPromises;
import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.PodEntry;
import io.berth.engine.volume.Volume;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Handling of events about pods and their bindings, for the node's columns, the queue, and
 * nominations. Every path on which a pod is seen bound, assumed or gone ends its nomination.
 */
public final class PodEvents {
  private final ClusterState state;
  private final PendingPods pending;
  private final Nominations nominations;
  private final AwaitedVictims awaited;
  private final RefusedEvictions refused;
  private final RoomPromises rooms;
  private final AnnouncedNominations announced;
  private final Set<String> schedulerNames;

  public PodEvents(
      ClusterState state, PendingPods pending, Promises promises, Set<String> schedulerNames) {
    this.state = state;
    this.pending = pending;
    this.announced = pending.announced();
    this.nominations = promises.nominations();
    this.awaited = promises.awaited();
    this.refused = promises.refused();
    this.rooms = promises.rooms();
    this.schedulerNames = schedulerNames;
  }

  /**
   * A pod on a node cannot be read. Its node takes no more pods; what was known of the pod while it
   * could be read still counts there.
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
      pending.queue().wake(new Change.NodeReadable(nodeName), now);
    }
  }

  /** A pod as it is now. */
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
        pending.groups().finished(model, now);
      }
    } else if (!model.nodeName().isEmpty()) {
      bound(pod, model, now);
    } else if (pod != null && !pod.model().nodeName().isEmpty()) {
      // A bound pod is never unbound: the event is older than what is known.
      return;
    } else if (pod != null && pending.assumed().contains(model.ref().uid())) {
      change(pod, model, now);
      pending.groups().settled(pod, now);
    } else {
      waits(pod, model, now);
    }
  }

  private void bound(@Nullable PodEntry known, PodModel model, Instant now) {
    String uid = model.ref().uid();
    boolean assumed = pending.assumed().remove(uid);
    end(uid);
    announced.forget(uid);
    if (known == null) {
      PodEntry pod = state.addPod(model);
      state.place(pod, model.nodeName());
      pending.groups().settled(pod, now);
      pending.queue().wake(new Change.PodPlaced(model), now);
      return;
    }
    state.settle(known);
    int expected = state.nodes().slotOf(model.nodeName());
    boolean wasBound = !known.model().nodeName().isEmpty();
    change(known, model, now);
    pending.leave(uid);
    if (known.slot() != expected || expected < 0) {
      state.place(known, model.nodeName());
    }
    pending.groups().confirmed(known);
    pending.groups().settled(known, now);
    if (!assumed && !wasBound) {
      pending.queue().wake(new Change.PodPlaced(model), now);
    }
  }

  /** Takes in what changed in a pod that is on a node, and wakes those whom that may help. */
  private void change(PodEntry pod, PodModel model, Instant now) {
    PodModel before = pod.model();
    state.updatePod(pod, model);
    if (!before.labels().equals(model.labels())
        || before.terminating() != model.terminating()
        || !before.spec().requests().held().equals(model.spec().requests().held())
        || !before.cards().equals(model.cards())
        || before.cardHandout() != model.cardHandout()) {
      pending.queue().wake(new Change.PodChanged(before, model), now);
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
      pending.changed(model.ref().uid(), now);
    }
    pending.groups().waits(pod, changes, now);
  }

  /**
   * Takes in a nomination that others set or removed; those that Berth itself wrote are known
   * already.
   */
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
   * A decision tells the pod's nomination.
   *
   * @param nodeName empty where it has none
   */
  public void announced(PodEntry pod, String nodeName) {
    announced.announce(pod.ref().uid(), nodeName, pod.model().nominatedNode());
  }

  /** A pod is gone; an older namesake of the one that is known is nobody. */
  public void removed(PodRef ref, Instant now) {
    readable(ref.uid(), now);
    PodEntry pod = state.pods().byUid(ref.uid());
    if (pod != null) {
      gone(pod, now);
    }
    pending.groups().finishedGone(ref.uid(), now);
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
    pending.assumed().remove(uid);
    pending.leave(uid);
    boolean promised = end(uid);
    announced.forget(uid);
    displace(pod, now);
    state.removePod(pod);
    pending.groups().gone(pod, finished, now);
    if (!heldOn.isEmpty() || promised) {
      pending.queue().wake(new Change.PodGone(pod.model(), promised ? "" : heldOn), now);
    }
    awaited.gone(uid);
    refused.forget(uid);
  }

  /** The node whose room the pod holds; empty where it holds none. */
  private String heldOn(PodEntry pod) {
    return pod.slot() == PodEntry.NOWHERE ? "" : state.nodes().name(pod.slot());
  }

  /** Counts the pod nowhere, and wakes those whom what was planned for it may help. */
  private void displace(PodEntry pod, Instant now) {
    long before = state.storage().version();
    state.displace(pod);
    if (state.storage().version() != before) {
      pending.queue().wake(new Change.StorageChanged(Volume.KIND, "", "", Optional.empty()), now);
    }
  }

  /** Ends what was promised to a pod; answers whether anything was. */
  private boolean end(String uid) {
    awaited.forget(uid);
    return nominations.end(uid).isPresent();
  }

  /**
   * The pod was given a node: it counts there with all that it holds, though its Binding is still
   * to be made.
   */
  public void assumed(PodEntry pod, Instant now) {
    pending.assumed().add(pod.ref().uid());
    end(pod.ref().uid());
    pending.groups().settled(pod, now);
    pending.queue().wake(new Change.PodPlaced(pod.model()), now);
  }

  /** The pod was given a node before this engine was there; one that is bound or gone is left. */
  public void assumed(ClusterEvent.PodAssumed event, Instant now) {
    String uid = event.pod().uid();
    PodEntry pod = state.pods().byUid(uid);
    if (pod == null || pending.isPlaced(uid)) {
      return;
    }
    pending.groups().handedOver(pod);
    int slot = state.nodes().slotOf(event.nodeName());
    if (slot >= 0) {
      state.assume(pod, slot, event.preBind(), event.annotations());
      assumed(pod, now);
    } else {
      state.place(pod, event.nodeName());
      pending.assumed().add(uid);
      pending.groups().settled(pod, now);
    }
    pending.consultations().drop(uid);
    pending.queue().placedWithOthers(uid, pod, pod.priority(), now);
  }

  /** An attempt broke off: the pod is on no node, and holds no promise. */
  void abandoned(PodEntry pod, Instant now) {
    String uid = pod.ref().uid();
    pending.assumed().remove(uid);
    state.displace(pod);
    state.storage().forget(uid);
    end(uid);
    pending.groups().settled(pod, now);
  }

  /** The Binding was made. The watch will show it. */
  public void bindingConfirmed(PodRef ref) {
    pending.queue().done(ref.uid());
    PodEntry pod = state.pods().byUid(ref.uid());
    if (pod != null) {
      pending.groups().confirmed(pod);
    }
  }

  /**
   * The Binding was refused: the pod counts nowhere.
   *
   * @param retry whether it is to be tried again
   */
  public void bindingFailed(PodRef ref, boolean retry, Instant now) {
    PodEntry pod = state.pods().byUid(ref.uid());
    if (pod == null || !pending.assumed().remove(ref.uid())) {
      return;
    }
    String heldOn = heldOn(pod);
    displace(pod, now);
    boolean lacking = pending.groups().bindingFailed(pod, retry, now);
    if (!lacking && retry) {
      pending.queue().failed(ref.uid(), now);
    } else if (!lacking) {
      pending.queue().remove(ref.uid());
    }
    pending.queue().wake(new Change.PodGone(pod.model(), heldOn), now);
    awaited.gone(ref.uid());
  }

  /**
   * The API server refused to evict a pod. Those for whom it was to go are promised its room no
   * longer and look for other room at once; for a while it is nobody's victim.
   */
  public void evictionFailed(PodRef ref, Instant now) {
    PodEntry victim = state.pods().byUid(ref.uid());
    if (victim == null || victim.model().terminating()) {
      return; // gone, or going all the same
    }
    refused.refused(victim, now);
    pending.groups().keeps(victim, now);
    for (String uid : List.copyOf(awaited.preemptorsOf(ref.uid()))) {
      end(uid);
      pending.groups().lookElsewhere(uid, now);
    }
  }

  /** A node is gone, and with it the room that was promised there: look for other room. */
  public void nodeGone(String nodeName, Instant now) {
    for (String uid : List.copyOf(nominations.podsOn(nodeName))) {
      end(uid);
      pending.groups().lookElsewhere(uid, now);
    }
  }

  /**
   * Pods of lower priority lose what they were promised on the node, as its room is taken, and look
   * for other room.
   *
   * @return those that lost it
   */
  public List<PodRef> yieldTo(PodEntry pod, String nodeName, Instant now) {
    List<PodRef> yielding = new ArrayList<>();
    for (String uid : List.copyOf(nominations.podsOn(nodeName))) {
      PodEntry other = state.pods().byUid(uid);
      if (other == null) {
        end(uid);
      } else if (other != pod && other.priority() < pod.priority()) {
        end(uid);
        announced(other, "");
        pending.groups().lookElsewhere(uid, now);
        yielding.add(other.ref());
      }
    }
    return yielding;
  }
}
