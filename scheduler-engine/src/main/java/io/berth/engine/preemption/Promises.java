package io.berth.engine.preemption;

import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;

/**
 * The room that is kept for pods that wait: nominations, with the victims or the ends of pods that
 * they wait for, and rejected evictions.
 */
public record Promises(
    Nominations nominations, AwaitedVictims awaited, RefusedEvictions refused, RoomPromises rooms) {

  /** No promises yet. */
  public static Promises none(ClusterState state) {
    RefusedEvictions refused = new RefusedEvictions(state);
    state.timers().add(refused);
    Nominations nominations = new Nominations(state.journal());
    return new Promises(nominations, new AwaitedVictims(), refused, new RoomPromises(nominations));
  }
}
