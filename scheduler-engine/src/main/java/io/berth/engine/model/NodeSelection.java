package io.berth.engine.model;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which nodes a pod asks for.
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

  /** Any node will do. */
  public static NodeSelection none() {
    return NONE;
  }
}
