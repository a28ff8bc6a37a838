package io.berth.engine.model;

import java.util.List;

/**
 * One term of a node selector: a node satisfies it if it satisfies all its requirements. A term
 * without requirements selects no node.
 *
 * @param expressions requirements on the node's labels
 * @param fields requirements on the node's fields; the only field is {@code metadata.name}, with
 *     {@code IN} or {@code NOT_IN} and one value
 * @param malformed whether no valid API server would accept the term (unknown operator, a bound
 *     that is not an integer): it selects no node, and other terms still apply
 */
public record NodeTerm(List<Requirement> expressions, List<Requirement> fields, boolean malformed) {
  public NodeTerm {
    expressions = List.copyOf(expressions);
    fields = List.copyOf(fields);
  }

  /** Returns whether the term has no requirement and so selects no node. */
  public boolean isEmpty() {
    return expressions.isEmpty() && fields.isEmpty();
  }

  /** Returns whether the node satisfies the term; an empty or malformed term selects no node. */
  public boolean matches(NodeModel node) {
    if (malformed || isEmpty()) {
      return false;
    }
    for (Requirement requirement : expressions) {
      if (!requirement.matches(node.labels())) {
        return false;
      }
    }
    for (Requirement requirement : fields) {
      if (!requirement.matchesValue(
          requirement.key().equals("metadata.name") ? node.name() : null)) {
        return false;
      }
    }
    return true;
  }
}
