package io.berth.engine.kube;

import io.berth.engine.model.CardInventory;
import io.berth.engine.model.NodeImage;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.Taint;
import io.berth.engine.model.TaintEffect;
import io.berth.engine.quantity.ExactQuantity;
import io.fabric8.kubernetes.api.model.ContainerImage;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Compiles nodes. */
final class NodeCompiler {
  private NodeCompiler() {}

  static NodeModel compile(Node node, CardReading cards) {
    String name = Labels.requireName(node.getMetadata().getName(), "metadata.name");
    String uid = node.getMetadata().getUid();
    NodeStatus status = node.getStatus();
    if (status == null) {
      throw new RefusedException("the node has no status");
    }
    Map<String, String> labels = Labels.read(node.getMetadata().getLabels(), "the node");
    boolean unschedulable =
        node.getSpec() != null && Boolean.TRUE.equals(node.getSpec().getUnschedulable());
    Map<String, ExactQuantity> allocatable =
        Quantities.read(status.getAllocatable(), "status.allocatable");
    return new NodeModel(
        name,
        uid == null ? "" : uid,
        labels,
        taints(node),
        unschedulable,
        Amounts.ofNode(allocatable),
        images(status),
        Features.declared(status),
        cards(node, allocatable, cards));
  }

  private static CardInventory cards(
      Node node, Map<String, ExactQuantity> allocatable, CardReading cards) {
    CardInventory inventory = cards.inventory(node);
    if (inventory.cards().isEmpty()
        || allocatable.keySet().stream().noneMatch(cards::measuresCards)) {
      return inventory;
    }
    Map<String, ExactQuantity> measures = new HashMap<>(allocatable);
    measures.keySet().removeIf(resource -> !cards.measuresCards(resource));
    return inventory.reporting(Amounts.ofNode(measures));
  }

  private static List<Taint> taints(Node node) {
    if (node.getSpec() == null) {
      return List.of();
    }
    List<Taint> taints = new ArrayList<>();
    for (io.fabric8.kubernetes.api.model.Taint taint : node.getSpec().getTaints()) {
      String key = Labels.requireName(taint.getKey(), "the key of a taint");
      String value = taint.getValue() == null ? "" : taint.getValue();
      taints.add(new Taint(key, value, effect(taint.getEffect(), "taint '" + key + "'")));
    }
    return taints;
  }

  static TaintEffect effect(@Nullable String name, String where) {
    return switch (name) {
      case "NoSchedule" -> TaintEffect.NO_SCHEDULE;
      case "PreferNoSchedule" -> TaintEffect.PREFER_NO_SCHEDULE;
      case "NoExecute" -> TaintEffect.NO_EXECUTE;
      case null, default ->
          throw new RefusedException(where + " has the unknown effect '" + name + "'");
    };
  }

  private static List<NodeImage> images(NodeStatus status) {
    List<NodeImage> images = new ArrayList<>(status.getImages().size());
    for (ContainerImage image : status.getImages()) {
      long size = image.getSizeBytes() == null ? 0 : image.getSizeBytes();
      if (size < 0) {
        throw new RefusedException("status.images has an image of negative size");
      }
      images.add(new NodeImage(image.getNames(), size));
    }
    return images;
  }
}
