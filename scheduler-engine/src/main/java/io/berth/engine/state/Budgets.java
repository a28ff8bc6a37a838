package io.berth.engine.state;

import io.berth.engine.model.DisruptionBudget;
import io.berth.engine.model.PodModel;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** PodDisruptionBudgets by namespace and name. */
public final class Budgets {
  private final Map<String, Map<String, DisruptionBudget>> byNamespace = new TreeMap<>();
  private long version;
  private long selectorsVersion;

  /** Returns a version that changes whenever a budget may have changed. */
  public long version() {
    return version;
  }

  /** Returns a version that changes whenever {@link #mayCount} may have changed. */
  public long selectorsVersion() {
    return selectorsVersion;
  }

  /** Returns whether the selector of any budget selects the pod. */
  public boolean mayCount(PodModel pod) {
    if (byNamespace.isEmpty()) {
      return false;
    }
    for (DisruptionBudget budget : of(pod.ref().namespace())) {
      if (budget.selects(pod)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the budgets of a namespace, by name. */
  public Collection<DisruptionBudget> of(String namespace) {
    Map<String, DisruptionBudget> found = byNamespace.get(namespace);
    return found == null ? List.of() : found.values();
  }

  public void put(DisruptionBudget budget) {
    version++;
    DisruptionBudget before =
        byNamespace
            .computeIfAbsent(budget.namespace(), namespace -> new TreeMap<>())
            .put(budget.name(), budget);
    if (before == null || !before.selector().equals(budget.selector())) {
      selectorsVersion++;
    }
  }

  public void remove(String namespace, String name) {
    version++;
    selectorsVersion++;
    Map<String, DisruptionBudget> found = byNamespace.get(namespace);
    if (found != null && found.remove(name) != null && found.isEmpty()) {
      byNamespace.remove(namespace);
    }
  }
}
