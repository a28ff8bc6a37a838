package io.berth.engine.preemption;

import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;

/**
 * The resources that are reserved for pending pods: nominations, the victims or ending pods that
 * they wait for, and rejected evictions.
 */
public record Promises(
    Nominations nominations, AwaitedVictims awaited, RefusedEvictions refused, RoomPromises rooms) {

  /** Returns an empty set of reservations. */
  public static Promises none(ClusterState state) {
    RefusedEvictions refused = new RefusedEvictions(state);
    state.timers().add(refused);
    Nominations nominations = new Nominations(state.journal());
    return new Promises(nominations, new AwaitedVictims(), refused, new RoomPromises(nominations));
  }
}
