package io.berth.engine.state;

import io.berth.engine.model.DisruptionBudget;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** PodDisruptionBudgets by namespace and name. */
public final class Budgets {
  private final Map<String, Map<String, DisruptionBudget>> byNamespace = new TreeMap<>();
  private long version;

  /** Returns a version that changes whenever a budget may have changed. */
  public long version() {
    return version;
  }

  /** Returns the budgets of a namespace, by name. */
  public Collection<DisruptionBudget> of(String namespace) {
    Map<String, DisruptionBudget> found = byNamespace.get(namespace);
    return found == null ? List.of() : found.values();
  }

  public void put(DisruptionBudget budget) {
    version++;
    byNamespace
        .computeIfAbsent(budget.namespace(), namespace -> new TreeMap<>())
        .put(budget.name(), budget);
  }

  public void remove(String namespace, String name) {
    version++;
    Map<String, DisruptionBudget> found = byNamespace.get(namespace);
    if (found != null && found.remove(name) != null && found.isEmpty()) {
      byNamespace.remove(namespace);
    }
  }
}
