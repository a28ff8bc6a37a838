package io.berth.sandbox.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.loop.EventRecorder;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Detects lost kubelets, as the node lifecycle controller does: those that update neither their
 * Lease nor the heartbeat in the node's status. The node's conditions become Unknown, which {@link
 * NodeTaints} turns into taints, and its pods are marked not ready.
 */
final class NodeHealth {
  /** Number of checks per heartbeat timeout. */
  static final int LOOKS = 10;

  private static final String LEASES = "kube-node-lease";
  private static final List<String> REPORTED =
      List.of("Ready", "MemoryPressure", "DiskPressure", "PIDPressure");

  private final Workloads workloads;
  private final Duration patience;
  private final ResourceType leases;
  private final EventRecorder events;

  /**
   * The last heartbeat of each node and the time it was observed. Confined to the controller's
   * thread.
   */
  private Map<String, Sign> signs = Map.of();

  private record Sign(String uid, long lease, String heartbeat, Instant noticed) {
    boolean sameAs(Sign other) {
      return uid.equals(other.uid) && lease == other.lease && heartbeat.equals(other.heartbeat);
    }
  }

  NodeHealth(Workloads workloads, Duration patience) {
    this.workloads = workloads;
    this.patience = patience;
    this.leases = workloads.api.registry().builtIn("coordination.k8s.io", "leases");
    this.events = workloads.events("node-controller");
  }

  void round() {
    Instant now = workloads.instant();
    Map<String, Sign> latest = new HashMap<>();
    for (StoredObject node :
        workloads.api.store().list(workloads.nodes.storage(), null).objects()) {
      String name = node.key().name();
      Sign sign = sign(node, now);
      Sign before = signs.get(name);
      Sign current = before != null && before.sameAs(sign) ? before : sign;
      latest.put(name, current);
      if (current.noticed.plus(patience).isBefore(now) && !ready(node).equals("Unknown")) {
        lost(node);
      }
    }
    signs = latest;
  }

  private Sign sign(StoredObject node, Instant now) {
    long lease =
        workloads
            .get(leases, new ObjectKey(LEASES, node.key().name()))
            .map(StoredObject::resourceVersion)
            .orElse(0L);
    return new Sign(node.uid(), lease, condition(node, "lastHeartbeatTime"), now);
  }

  private static String ready(StoredObject node) {
    return condition(node, "status");
  }

  private static String condition(StoredObject node, String field) {
    for (JsonNode condition : node.json().path("status").path("conditions")) {
      if (condition.path("type").asText().equals("Ready")) {
        return condition.path(field).asText();
      }
    }
    return "";
  }

  private void lost(StoredObject node) {
    workloads.writer.change(
        workloads.nodes,
        node.key(),
        node.uid(),
        "status",
        tree -> {
          for (String type : REPORTED) {
            unknown(tree.withObject("status"), type);
          }
          return true;
        });
    String name = node.key().name();
    events.normal(node.json(), "NodeNotReady", "Node " + name + " status is now: NodeNotReady");
    for (StoredObject pod : workloads.podsOn(name)) {
      notReady(pod);
    }
  }

  private void unknown(ObjectNode status, String type) {
    for (JsonNode each : status.withArray("conditions")) {
      if (each instanceof ObjectNode condition && condition.path("type").asText().equals(type)) {
        condition
            .put("status", "Unknown")
            .put("reason", "NodeStatusUnknown")
            .put("message", "Kubelet stopped posting node status.")
            .put("lastTransitionTime", workloads.now());
        return;
      }
    }
    status
        .withArray("conditions")
        .addObject()
        .put("lastHeartbeatTime", workloads.now())
        .put("lastTransitionTime", workloads.now())
        .put("message", "Kubelet never posted node status.")
        .put("reason", "NodeStatusNeverUpdated")
        .put("status", "Unknown")
        .put("type", type);
  }

  private void notReady(StoredObject pod) {
    if (!Pods.isReady(pod.json())) {
      return;
    }
    workloads.writer.change(
        workloads.pods,
        pod.key(),
        pod.uid(),
        "status",
        tree -> {
          for (JsonNode each : tree.path("status").path("conditions")) {
            if (each instanceof ObjectNode condition
                && condition.path("type").asText().equals("Ready")) {
              condition.put("status", "False").put("lastTransitionTime", workloads.now());
            }
          }
          return true;
        });
    events.warning(pod.json(), "NodeNotReady", "Node is not ready");
  }
}
