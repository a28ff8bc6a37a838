package io.berth.engine.model;

import io.berth.rules.label.LabelOperator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The node selector and node affinity of a pod.
 *
 * @param nodeSelector labels that a node must have
 * @param required terms of which a node must satisfy at least one; absent if the pod has no
 *     required node affinity (present and empty selects no node)
 * @param preferred preferences, in the pod's order
 */
public record NodeSelection(
    Map<String, String> nodeSelector,
    Optional<List<NodeTerm>> required,
    List<WeightedNodeTerm> preferred) {
  private static final NodeSelection NONE =
      new NodeSelection(Map.of(), Optional.empty(), List.of());

  public NodeSelection {
    nodeSelector = Map.copyOf(nodeSelector);
    required = required.map(List::copyOf);
    preferred = List.copyOf(preferred);
  }

  /**
   * Returns the one node that every required term names by its field {@code metadata.name}, as in
   * the pods of a DaemonSet; empty if there is none.
   */
  public Optional<String> pinnedNode() {
    if (required.isEmpty() || required.get().isEmpty()) {
      return Optional.empty();
    }
    Optional<String> pinned = pinnedNode(required.get().getFirst());
    for (NodeTerm term : required.get()) {
      if (!pinnedNode(term).equals(pinned)) {
        return Optional.empty();
      }
    }
    return pinned;
  }

  private static Optional<String> pinnedNode(NodeTerm term) {
    if (term.malformed() || term.fields().size() != 1) {
      return Optional.empty();
    }
    Requirement field = term.fields().getFirst();
    boolean names =
        field.key().equals("metadata.name")
            && field.operator() == LabelOperator.IN
            && field.values().size() == 1;
    return names ? Optional.of(field.values().getFirst()) : Optional.empty();
  }

  /** Returns the other requirements for the {@link #pinnedNode}, without its name. */
  public NodeSelection withoutPinnedNode() {
    List<NodeTerm> terms = new ArrayList<>();
    for (NodeTerm term : required.orElse(List.of())) {
      if (term.expressions().isEmpty()) {
        return new NodeSelection(nodeSelector, Optional.empty(), preferred);
      }
      terms.add(new NodeTerm(term.expressions(), List.of(), false));
    }
    return new NodeSelection(nodeSelector, Optional.of(terms), preferred);
  }

  /** Returns a selection that allows any node. */
  public static NodeSelection none() {
    return NONE;
  }
}
