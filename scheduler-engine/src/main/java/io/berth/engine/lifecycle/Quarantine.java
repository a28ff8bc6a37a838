package io.berth.engine.lifecycle;

import io.berth.engine.cycle.Plans;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.SchedulingUnit;
import java.time.Instant;
import java.util.List;

/**
 * The handling of failed attempts: the attempt is undone, and the pod is quarantined for a pause
 * that doubles each time. Everything else continues.
 *
 * <p>An aborted attempt may leave a cached answer partly updated, and answers are shared. Therefore
 * all of them are dropped, and computed again on demand.
 */
public final class Quarantine {
  private final ClusterState state;
  private final Plans plans;
  private final PendingWork work;
  private final PodIntake podEvents;

  public Quarantine(ClusterState state, Plans plans, PendingWork work, PodIntake podEvents) {
    this.state = state;
    this.plans = plans;
    this.work = work;
    this.podEvents = podEvents;
  }

  /**
   * Undoes the attempt and quarantines the unit.
   *
   * @return the time of the retry
   * @throws IllegalStateException if the attempt cannot be undone completely: the state must be
   *     discarded
   */
  public Instant take(SchedulingUnit unit, Instant now) {
    plans.forgetAll();
    if (state.answers().size() > 0) {
      throw new IllegalStateException(
          state.answers().size() + " remembered answers are in use by no plan");
    }
    switch (unit) {
      case PodEntry pod -> podEvents.abandoned(pod, now);
      case GroupEntry group -> {
        work.groups().endReservations(group);
        for (PodEntry pod : List.copyOf(group.placed())) {
          if (pod.slot() == PodEntry.NOWHERE && pod.model().nodeName().isEmpty()) {
            podEvents.abandoned(pod, now);
          }
        }
      }
    }
    return work.pods().queue().quarantined(unit.key(), now);
  }
}
