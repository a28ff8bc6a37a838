package io.berth.operator.schedule;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision.Placed;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The placements that no watch shows yet: those whose Bindings have been sent, or will be, until
 * the pod is seen as bound, or the Binding has failed. Not thread-safe.
 */
final class BindingsInFlight {
  private final Map<String, ClusterEvent.PodAssumed> assumed = new LinkedHashMap<>();

  /** Records a placement; returns the event for engines that have not decided it. */
  ClusterEvent.PodAssumed placed(Placed placed) {
    ClusterEvent.PodAssumed event =
        new ClusterEvent.PodAssumed(
            placed.pod(), placed.nodeName(), placed.preBind(), placed.annotations());
    assumed.put(placed.pod().uid(), event);
    return event;
  }

  /** Records an event, which may end a placement's time in flight. */
  void note(ClusterEvent event) {
    switch (event) {
      case ClusterEvent.BindingFailed failed -> assumed.remove(failed.pod().uid());
      case ClusterEvent.PodRemoved removed -> assumed.remove(removed.pod().uid());
      case ClusterEvent.PodUpserted upserted -> {
        if (!upserted.pod().nodeName().isEmpty() || upserted.pod().finished()) {
          assumed.remove(upserted.pod().ref().uid());
        }
      }
      default -> {
        // The event ends no Binding.
      }
    }
  }

  /** Sends the placements in flight to an engine that knows the nodes and pods. */
  void replay(Consumer<ClusterEvent> engine) {
    assumed.values().forEach(engine);
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
    return failed;
  }
}
