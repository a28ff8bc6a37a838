package io.berth.sandbox.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Sets a node's taints from its conditions and {@code spec.unschedulable}, as the node lifecycle
 * controller does.
 */
final class NodeTaints {
  private static final String NOT_READY = "node.kubernetes.io/not-ready";
  private static final String UNREACHABLE = "node.kubernetes.io/unreachable";
  private static final List<List<String>> PRESSURES =
      List.of(
          List.of("MemoryPressure", "node.kubernetes.io/memory-pressure"),
          List.of("DiskPressure", "node.kubernetes.io/disk-pressure"),
          List.of("PIDPressure", "node.kubernetes.io/pid-pressure"),
          List.of("NetworkUnavailable", "node.kubernetes.io/network-unavailable"));

  private final Workloads workloads;
  private final ResourceType nodes;

  private record Taint(String key, String effect) {}

  NodeTaints(Workloads workloads) {
    this.workloads = workloads;
    this.nodes = workloads.api.registry().builtIn("", "nodes");
  }

  ResourceType nodes() {
    return nodes;
  }

  Optional<Duration> reconcile(ObjectKey key) {
    Optional<StoredObject> node = workloads.get(nodes, key);
    node.ifPresent(stored -> workloads.writer.change(nodes, key, stored.uid(), "", this::taint));
    return Optional.empty();
  }

  /** Updates the taints managed by this controller, in place, and returns whether any changed. */
  private boolean taint(ObjectNode node) {
    List<Taint> wanted = wanted(node);
    JsonNode before = node.path("spec").path("taints");
    ArrayNode after = Json.MAPPER.createArrayNode();
    List<Taint> present = new ArrayList<>();
    for (JsonNode taint : before) {
      Taint key = new Taint(taint.path("key").asText(), taint.path("effect").asText());
      if (!isOurs(key.key) || wanted.contains(key)) {
        after.add(taint);
        present.add(key);
      }
    }
    for (Taint taint : wanted) {
      if (!present.contains(taint)) {
        after
            .addObject()
            .put("effect", taint.effect)
            .put("key", taint.key)
            .put("timeAdded", workloads.now());
      }
    }
    boolean same = before.isMissingNode() ? after.isEmpty() : before.equals(after);
    if (same) {
      return false;
    }
    ObjectNode spec = node.withObject("spec");
    if (after.isEmpty()) {
      spec.remove("taints");
    } else {
      spec.set("taints", after);
    }
    return true;
  }

  private static boolean isOurs(String key) {
    return key.equals(NOT_READY)
        || key.equals(UNREACHABLE)
        || key.equals("node.kubernetes.io/unschedulable")
        || PRESSURES.stream().anyMatch(pressure -> pressure.get(1).equals(key));
  }

  private static List<Taint> wanted(JsonNode node) {
    List<Taint> wanted = new ArrayList<>();
    if (node.path("spec").path("unschedulable").asBoolean()) {
      wanted.add(new Taint("node.kubernetes.io/unschedulable", "NoSchedule"));
    }
    String ready = condition(node, "Ready");
    if (ready.isEmpty()) {
      wanted.add(new Taint(NOT_READY, "NoSchedule"));
    } else if (!ready.equals("True")) {
      String key = ready.equals("False") ? NOT_READY : UNREACHABLE;
      wanted.add(new Taint(key, "NoSchedule"));
      wanted.add(new Taint(key, "NoExecute"));
    }
    for (List<String> pressure : PRESSURES) {
      if (condition(node, pressure.get(0)).equals("True")) {
        wanted.add(new Taint(pressure.get(1), "NoSchedule"));
      }
    }
    return wanted;
  }

  private static String condition(JsonNode node, String type) {
    for (JsonNode condition : node.path("status").path("conditions")) {
      if (condition.path("type").asText().equals(type)) {
        return condition.path("status").asText();
      }
    }
    return "";
  }
}
