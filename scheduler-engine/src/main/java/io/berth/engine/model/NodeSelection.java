package io.berth.engine.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The node selection of a pod.
 *
 * @param nodeSelector labels that a node must have, all of them
 * @param required terms of which a node must satisfy one; absent where the pod has no required node
 *     affinity (present and empty selects no node)
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
   * The one node that every required term names by its field {@code metadata.name}, as the pods of
   * a DaemonSet do; empty where there is none.
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
            && field.operator() == Operator.IN
            && field.values().size() == 1;
    return names ? Optional.of(field.values().getFirst()) : Optional.empty();
  }

  /** The requirements for the {@link #pinnedNode} beside its name. */
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

  /** Any node will do. */
  public static NodeSelection none() {
    return NONE;
  }
}
