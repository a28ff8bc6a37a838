package io.berth.engine.attempt;

import io.berth.engine.api.Attempt;
import io.berth.engine.api.Decision;
import io.berth.engine.decision.CycleRecord;
import io.berth.engine.framework.Consultation;
import io.berth.engine.model.PreBindStep;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.Holding;
import io.berth.engine.state.PodEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decisions about pods that are already on their nodes, with the contents of their Bindings that
 * their holdings require. If there are any, only Berth can send the Binding, not an advisor.
 */
final class Placements {
  private Placements() {}

  static Decision.Placed of(
      PodEntry pod,
      Attempt attempt,
      ClusterState state,
      Optional<Consultation> binder,
      CycleRecord record) {
    Map<String, String> annotations = Map.of();
    Map<String, String> labels = Map.of();
    List<PreBindStep> preBind = List.of();
    for (Holding holding : pod.holdings()) {
      annotations = joined(annotations, holding.annotations());
      labels = joined(labels, holding.labels());
      if (!holding.preBind().isEmpty()) {
        preBind = new ArrayList<>(preBind);
        preBind.addAll(holding.preBind());
      }
    }
    String nodeName = state.nodes().name(pod.slot());
    boolean plain = annotations.isEmpty() && labels.isEmpty();
    return new Decision.Placed(
        pod.ref(),
        attempt,
        nodeName,
        annotations,
        labels,
        preBind,
        plain ? binder : Optional.empty(),
        record);
  }

  private static Map<String, String> joined(Map<String, String> some, Map<String, String> more) {
    if (some.isEmpty() || more.isEmpty()) {
      return some.isEmpty() ? more : some;
    }
    Map<String, String> all = new HashMap<>(some);
    all.putAll(more);
    return all;
  }
}
