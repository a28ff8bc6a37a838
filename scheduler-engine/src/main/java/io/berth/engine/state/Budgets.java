package io.berth.engine.state;

import io.berth.engine.model.DisruptionBudget;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The PodDisruptionBudgets, by namespace and name. */
public final class Budgets {
  private final Map<String, Map<String, DisruptionBudget>> byNamespace = new TreeMap<>();
  private long version;

  /** Changes whenever one of them may have. */
  public long version() {
    return version;
  }

  /** Those of a namespace, by name. */
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
