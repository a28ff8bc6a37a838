package io.berth.engine.preemption;

import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;

/**
 * What preemption has under way: the room that is promised, the victims that are awaited, and the
 * evictions that were refused.
 */
public record Promises(Nominations nominations, AwaitedVictims awaited, RefusedEvictions refused) {

  /** No promises yet. */
  public static Promises none(ClusterState state) {
    RefusedEvictions refused = new RefusedEvictions(state);
    state.timers().add(refused);
    return new Promises(new Nominations(state.journal()), new AwaitedVictims(), refused);
  }
}
