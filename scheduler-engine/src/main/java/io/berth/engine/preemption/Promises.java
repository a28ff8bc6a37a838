package io.berth.engine.preemption;

import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;

/** The state of preemption in progress: nominations, awaited victims, and rejected evictions. */
public record Promises(Nominations nominations, AwaitedVictims awaited, RefusedEvictions refused) {

  /** No promises yet. */
  public static Promises none(ClusterState state) {
    RefusedEvictions refused = new RefusedEvictions(state);
    state.timers().add(refused);
    return new Promises(new Nominations(state.journal()), new AwaitedVictims(), refused);
  }
}
