package io.berth.engine.selector;

import io.berth.engine.model.AffinityTerm;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.Requirement;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The key of a matcher: the pods that it selects. Equal selectors are equal values.
 *
 * @param clauses a pod must satisfy every one
 * @param skipsTerminating whether terminating pods are left out (they are where topology spread
 *     counts, not for affinity)
 */
public record MatcherKey(List<Clause> clauses, boolean skipsTerminating) {
  public MatcherKey {
    clauses = List.copyOf(clauses);
  }

  /**
   * Pods of some namespaces with some labels.
   *
   * @param namespaces by name
   * @param namespaceSelector further namespaces, by their labels
   */
  public record Clause(
      Set<String> namespaces, LabelSelector namespaceSelector, LabelSelector selector) {
    boolean matches(
        String namespace, Map<String, String> namespaceLabels, Map<String, String> labels) {
      return (namespaces.contains(namespace) || namespaceSelector.matches(namespaceLabels))
          && selector.matches(labels);
    }
  }

  /** The pods that an affinity term of a placed pod means. */
  public static MatcherKey of(AffinityTerm term) {
    return new MatcherKey(
        List.of(new Clause(term.namespaces(), term.namespaceSelector(), term.selector())), false);
  }

  /**
   * The placed pods that an affinity term of a pod to be placed means. Its selector of namespaces
   * means every namespace if it would select one without labels, as kube-scheduler 1.36 has it: see
   * docs/decisions/kube-scheduler-compatibility.md.
   */
  public static MatcherKey ofIncoming(AffinityTerm term) {
    return new MatcherKey(List.of(incomingClause(term)), false);
  }

  /** The placed pods that every one of the terms of a pod to be placed means. */
  public static MatcherKey ofAllIncoming(List<AffinityTerm> terms) {
    return new MatcherKey(
        terms.stream().map(MatcherKey::incomingClause).distinct().toList(), false);
  }

  /** The pods that a spread constraint of a pod of this namespace counts. */
  public static MatcherKey ofSpread(String namespace, LabelSelector selector) {
    return new MatcherKey(
        List.of(new Clause(Set.of(namespace), LabelSelector.nothing(), selector)), true);
  }

  private static Clause incomingClause(AffinityTerm term) {
    LabelSelector namespaces = term.namespaceSelector();
    return new Clause(
        term.namespaces(),
        namespaces.matches(Map.of()) ? LabelSelector.everything() : namespaces,
        term.selector());
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

  /** Returns whether a pod is meant. */
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
