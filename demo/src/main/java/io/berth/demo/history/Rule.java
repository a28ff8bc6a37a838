package io.berth.demo.history;

import java.util.List;

/** Something that must hold in every history; a pure function. */
sealed interface Rule permits BoundOnce, NotOvercommitted, PlacedWhereItFits, EvictionMadeRoom {

  /** Returns where the history breaks it, in the order of time. */
  List<Violation> violations(History history);
}
