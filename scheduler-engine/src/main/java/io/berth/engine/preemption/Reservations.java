package io.berth.engine.preemption;

import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;

/**
 * The resources that are reserved for pending pods: nominations, the victims or ending pods that
 * they wait for, rejected evictions, and nodes that advisors have rejected.
 */
public record Reservations(
    Nominations nominations,
    AwaitedVictims awaited,
    RefusedEvictions refused,
    RejectedByAdvice rejectedByAdvice,
    GroupReservation rooms) {

  /** Returns an empty set of reservations. */
  public static Reservations none(ClusterState state) {
    RefusedEvictions refused = new RefusedEvictions(state);
    state.timers().add(refused);
    Nominations nominations = new Nominations(state.journal());
    return new Reservations(
        nominations,
        new AwaitedVictims(),
        refused,
        new RejectedByAdvice(state),
        new GroupReservation(nominations));
  }
}
