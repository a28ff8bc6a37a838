package io.berth.engine.model;

import java.util.List;

/**
 * One term of a node selector: a node satisfies it if it satisfies all its requirements. A term
 * without any selects no node.
 *
 * @param expressions on the node's labels
 * @param fields on the node's fields, of which there is one, {@code metadata.name}; {@code IN} and
 *     {@code NOT_IN} with one value each
 * @param malformed a term that no valid API server would pass on (unknown operator, a bound that is
 *     no integer): it selects no node, the other terms count
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
}
