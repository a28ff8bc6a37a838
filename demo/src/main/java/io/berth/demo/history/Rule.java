package io.berth.demo.history;

import java.util.List;

/** A rule that must hold in every history. Rules are pure functions. */
sealed interface Rule
    permits BoundOnce,
        NotOvercommitted,
        PlacedWhereItFits,
        EvictionMadeRoom,
        WithinLimits,
        DevicesUsedOnce,
        GuaranteesMet {

  /** Returns the violations of the rule in chronological order. */
  List<Violation> violations(History history);
}
