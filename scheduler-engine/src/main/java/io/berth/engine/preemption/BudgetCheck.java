package io.berth.engine.preemption;

import io.berth.engine.model.DisruptionBudget;
import io.berth.engine.model.PodModel;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.PodEntry;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Checks PodDisruptionBudgets for pods that are evicted together. */
final class BudgetCheck {
  private BudgetCheck() {}

  /**
   * Returns the pods whose eviction violates a budget.
   *
   * @param pods the pods, in the order in which they count against their budgets
   */
  static Set<PodEntry> violating(List<PodEntry> pods, ClusterState state) {
    Map<DisruptionBudget, Integer> left = Map.of();
    Set<PodEntry> violating = Set.of();
    for (PodEntry pod : pods) {
      PodModel model = pod.model();
      if (model.labels().isEmpty()) {
        continue;
      }
      for (DisruptionBudget budget : state.budgets().of(model.ref().namespace())) {
        if (!counts(budget, model)) {
          continue;
        }
        if (left.isEmpty()) {
          left = new HashMap<>();
        }
        if (left.merge(budget, budget.disruptionsAllowed() - 1, (now, first) -> now - 1) < 0) {
          if (violating.isEmpty()) {
            violating = new HashSet<>();
          }
          violating.add(pod);
        }
      }
    }
    return violating;
  }

  private static boolean counts(DisruptionBudget budget, PodModel pod) {
    return budget.selects(pod) && !budget.disruptedPods().contains(pod.ref().name());
  }
}
