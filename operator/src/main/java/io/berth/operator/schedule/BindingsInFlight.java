package io.berth.operator.schedule;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision.Placed;
import io.berth.engine.devices.ClaimAllocation;
import io.berth.engine.model.PreBindStep;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The placements that no watch shows yet: those whose Bindings have been sent, or will be, until
 * the pod is seen as bound, or the Binding has failed. If the pod is deleted meanwhile, its devices
 * are in use until then. Not thread-safe.
 */
final class BindingsInFlight {
  private final Map<String, ClusterEvent.PodAssumed> assumed = new LinkedHashMap<>();

  /** The UIDs of those whose Bindings were accepted. */
  private final Set<String> confirmed = new HashSet<>();

  /** The UIDs of those whose pods are gone. */
  private final Set<String> gone = new HashSet<>();

  /** Records a placement; returns the event for engines that have not decided it. */
  ClusterEvent.PodAssumed placed(Placed placed) {
    ClusterEvent.PodAssumed event =
        new ClusterEvent.PodAssumed(
            placed.pod(), placed.nodeName(), placed.preBind(), placed.assignments());
    assumed.put(placed.pod().uid(), event);
    return event;
  }

  /** Records an event, which may end a placement's time in flight. */
  void note(ClusterEvent event) {
    switch (event) {
      case ClusterEvent.BindingFailed failed -> forget(failed.pod().uid());
      case ClusterEvent.BindingConfirmed accepted -> accepted(accepted.pod().uid());
      case ClusterEvent.PodRemoved removed -> gone(removed.pod().uid());
      case ClusterEvent.PodUpserted upserted -> {
        if (!upserted.pod().nodeName().isEmpty() || upserted.pod().finished()) {
          forget(upserted.pod().ref().uid());
        }
      }
      default -> {
        // The event ends no Binding.
      }
    }
  }

  private void accepted(String uid) {
    if (gone.contains(uid)) {
      forget(uid);
    } else if (assumed.containsKey(uid)) {
      confirmed.add(uid);
    }
  }

  private void gone(String uid) {
    ClusterEvent.PodAssumed event = assumed.get(uid);
    if (event == null
        || confirmed.contains(uid)
        || PreBindStep.ofType(event.preBind(), ClaimAllocation.class).isEmpty()) {
      forget(uid);
    } else {
      gone.add(uid);
    }
  }

  private void forget(String uid) {
    assumed.remove(uid);
    confirmed.remove(uid);
    gone.remove(uid);
  }

  /** Sends the placements in flight to an engine that knows the nodes and pods. */
  void replay(Consumer<ClusterEvent> engine) {
    assumed.values().forEach(engine);
  }

  /** Sends the placement of one pod to an engine that knows it, if it is in flight. */
  void replay(ClusterEvent.Subject pod, Consumer<ClusterEvent> engine) {
    for (ClusterEvent.PodAssumed event : List.copyOf(assumed.values())) {
      if (event.subject().equals(pod)) {
        engine.accept(event);
      }
    }
  }

  /** Forgets all placements; returns the events that take them back. */
  List<ClusterEvent> abandon() {
    List<ClusterEvent> failed =
        assumed.values().stream()
            .<ClusterEvent>map(
                event ->
                    new ClusterEvent.BindingFailed(
                        event.pod(), "the term of the leader that sent it has ended", true))
            .toList();
    assumed.clear();
    confirmed.clear();
    gone.clear();
    return failed;
  }
}
