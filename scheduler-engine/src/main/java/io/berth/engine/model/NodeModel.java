package io.berth.engine.model;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A node as the engine sees it.
 *
 * @param allocatable what pods may request of it, {@code pods} included
 * @param declaredFeatures the features that its kubelet declares by name
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
