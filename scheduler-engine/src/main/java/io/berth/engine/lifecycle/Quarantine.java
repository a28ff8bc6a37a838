package io.berth.engine.lifecycle;

import io.berth.engine.cycle.Plans;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.Unit;
import java.time.Instant;
import java.util.List;

/**
 * The end of an attempt that failed: it is undone as a whole, and the pod is set aside for a pause
 * that doubles each time. Everything else goes on.
 *
 * <p>An attempt that breaks off may leave a remembered answer half up to date, and answers are
 * shared. So all of them are forgotten; they are worked out again as they are needed.
 */
public final class Quarantine {
  private final ClusterState state;
  private final Plans plans;
  private final PendingPods pending;
  private final PodEvents podEvents;

  public Quarantine(ClusterState state, Plans plans, PendingPods pending, PodEvents podEvents) {
    this.state = state;
    this.plans = plans;
    this.pending = pending;
    this.podEvents = podEvents;
  }

  /**
   * Undoes the attempt and sets the unit aside.
   *
   * @return until when
   * @throws IllegalStateException when not everything can be undone: the state must not be used any
   *     more
   */
  public Instant take(Unit unit, Instant now) {
    plans.forgetAll();
    if (state.answers().size() > 0) {
      throw new IllegalStateException(
          state.answers().size() + " remembered answers are in use by no plan");
    }
    switch (unit) {
      case PodEntry pod -> podEvents.abandoned(pod, now);
      case GroupEntry group -> {
        pending.groups().endPromises(group, now);
        for (PodEntry pod : List.copyOf(group.placed())) {
          if (pod.slot() == PodEntry.NOWHERE && pod.model().nodeName().isEmpty()) {
            podEvents.abandoned(pod, now);
          }
        }
      }
    }
    return pending.queue().quarantined(unit.key(), now);
  }
}
