package io.berth.engine.attempt;

import io.berth.engine.api.Attempt;
import io.berth.engine.api.Decision;
import io.berth.engine.decision.CycleRecord;
import io.berth.engine.framework.Consultation;
import io.berth.engine.model.Assignment;
import io.berth.engine.model.PreBindStep;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.Holding;
import io.berth.engine.state.PodEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decisions about pods that are already on their nodes, with the assignments and steps that their
 * holdings require. If there are assignments, only Berth can send the Binding, not an advisor.
 */
final class Placements {
  private Placements() {}

  static Decision.Placed of(
      PodEntry pod,
      Attempt attempt,
      ClusterState state,
      Optional<Consultation> binder,
      CycleRecord record) {
    List<Assignment> assignments = List.of();
    List<PreBindStep> preBind = List.of();
    for (Holding holding : pod.holdings()) {
      assignments = joined(assignments, holding.assignments());
      preBind = joined(preBind, holding.preBind());
    }
    String nodeName = state.nodes().name(pod.slot());
    return new Decision.Placed(
        pod.ref(),
        attempt,
        nodeName,
        assignments,
        Map.of(),
        Map.of(),
        preBind,
        assignments.isEmpty() ? binder : Optional.empty(),
        record);
  }

  private static <T> List<T> joined(List<T> some, List<T> more) {
    if (some.isEmpty() || more.isEmpty()) {
      return some.isEmpty() ? more : some;
    }
    List<T> all = new ArrayList<>(some);
    all.addAll(more);
    return all;
  }
}
