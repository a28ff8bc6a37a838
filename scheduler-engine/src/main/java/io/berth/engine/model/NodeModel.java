package io.berth.engine.model;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The engine's view of a node.
 *
 * @param allocatable the allocatable resources, including {@code pods}
 * @param declaredFeatures the names of the features that its kubelet declares
 * @param cards its GPU cards
 */
public record NodeModel(
    String name,
    String uid,
    Map<String, String> labels,
    List<Taint> taints,
    boolean unschedulable,
    ResourceAmounts allocatable,
    List<NodeImage> images,
    Set<String> declaredFeatures,
    CardInventory cards) {
  public NodeModel {
    labels = Map.copyOf(labels);
    taints = List.copyOf(taints);
    images = List.copyOf(images);
    declaredFeatures = Set.copyOf(declaredFeatures);
  }
}
