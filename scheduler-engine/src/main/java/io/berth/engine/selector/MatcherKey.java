package io.berth.engine.selector;

import io.berth.engine.model.AffinityTerm;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.Requirement;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The identity of a matcher: the pods that it selects. Keys of equal selectors are equal.
 *
 * @param clauses the clauses, all of which a pod must satisfy
 * @param skipsTerminating whether terminating pods are excluded (as for topology spread, but not
 *     for affinity)
 */
public record MatcherKey(List<Clause> clauses, boolean skipsTerminating) {
  public MatcherKey {
    clauses = List.copyOf(clauses);
  }

  /**
   * Pods of some namespaces with some labels.
   *
   * @param namespaces the names of namespaces
   * @param namespaceSelector selects further namespaces by their labels
   */
  public record Clause(
      Set<String> namespaces, LabelSelector namespaceSelector, LabelSelector selector) {
    boolean matches(
        String namespace, Map<String, String> namespaceLabels, Map<String, String> labels) {
      return (namespaces.contains(namespace) || namespaceSelector.matches(namespaceLabels))
          && selector.matches(labels);
    }
  }

  /** Returns the key for the pods that an affinity term selects. */
  public static MatcherKey of(AffinityTerm term) {
    return new MatcherKey(List.of(clause(term)), false);
  }

  /** Returns the key for the pods that all of the terms of a pod select. */
  public static MatcherKey ofAll(List<AffinityTerm> terms) {
    return new MatcherKey(terms.stream().map(MatcherKey::clause).distinct().toList(), false);
  }

  /** Returns the key for the pods that a spread constraint of a pod of this namespace counts. */
  public static MatcherKey ofSpread(String namespace, LabelSelector selector) {
    return new MatcherKey(
        List.of(new Clause(Set.of(namespace), LabelSelector.nothing(), selector)), true);
  }

  private static Clause clause(AffinityTerm term) {
    return new Clause(term.namespaces(), term.namespaceSelector(), term.selector());
  }

  /** Returns the requirements that the labels of every matching pod satisfy. */
  public List<Requirement> requirements() {
    return clauses.stream().flatMap(clause -> clause.selector().requirements().stream()).toList();
  }

  boolean dependsOnNamespaceLabels() {
    for (Clause clause : clauses) {
      if (!clause.namespaceSelector().matchesNothing()
          && !clause.namespaceSelector().isEverything()) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a pod matches. */
  public boolean matches(
      String namespace,
      Map<String, String> namespaceLabels,
      Map<String, String> labels,
      boolean terminating) {
    if (terminating && skipsTerminating) {
      return false;
    }
    for (Clause clause : clauses) {
      if (!clause.matches(namespace, namespaceLabels, labels)) {
        return false;
      }
    }
    return true;
  }
}
