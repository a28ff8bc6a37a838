package io.berth.engine.lifecycle;

import io.berth.engine.cycle.Plans;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.PodEntry;
import java.time.Instant;

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
   * Undoes the attempt and sets the pod aside.
   *
   * @return until when
   * @throws IllegalStateException when not everything can be undone: the state must not be used any
   *     more
   */
  public Instant take(PodEntry pod, Instant now) {
    plans.forgetAll();
    if (state.answers().size() > 0) {
      throw new IllegalStateException(
          state.answers().size() + " remembered answers are in use by no plan");
    }
    podEvents.abandoned(pod);
    return pending.queue().quarantined(pod.ref().uid(), now);
  }
}
