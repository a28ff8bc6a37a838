package io.berth.engine.model;

import java.util.List;
import java.util.Map;

/**
 * A node as the engine sees it.
 *
 * @param allocatable what pods may request of it, {@code pods} included
 */
public record NodeModel(
    String name,
    String uid,
    Map<String, String> labels,
    List<Taint> taints,
    boolean unschedulable,
    ResourceAmounts allocatable,
    List<NodeImage> images) {
  public NodeModel {
    labels = Map.copyOf(labels);
    taints = List.copyOf(taints);
    images = List.copyOf(images);
  }
}
