package io.berth.sandbox.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.loop.EventRecorder;
import io.berth.sandbox.selector.NodeTerms;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The DaemonSet controller: keeps one pod for each node that the template selects and tolerates.
 * The pods are placed by their scheduler, with an affinity for the name of their node. A changed
 * template replaces one pod at a time, or those that somebody deletes ({@code OnDelete}).
 */
final class DaemonSetController {
  private final Workloads workloads;
  private final EventRecorder events;

  DaemonSetController(Workloads workloads) {
    this.workloads = workloads;
    this.events = workloads.events("daemonset-controller");
  }

  Optional<Duration> reconcile(ObjectKey key) {
    Optional<StoredObject> found = workloads.get(workloads.daemonSets, key);
    if (found.isEmpty() || Pods.isDeleted(found.get().json())) {
      return Optional.empty();
    }
    StoredObject set = found.get();
    workloads.podAdoption.claim(set);
    JsonNode spec = set.json().path("spec");
    String revision = TemplateHash.of(spec.path("template"));
    Map<String, List<StoredObject>> byNode = podsByNode(set);
    List<StoredObject> wanted = wantedNodes(spec.path("template").path("spec"));
    for (StoredObject node : wanted) {
      List<StoredObject> pods = byNode.getOrDefault(node.key().name(), List.of());
      if (pods.isEmpty()) {
        StoredObject made = workloads.createPod(set, pod(set, node.key().name(), revision), events);
        byNode.put(node.key().name(), List.of(made));
      } else {
        pods.stream().skip(1).forEach(more -> workloads.deletePod(set, more, events));
      }
    }
    List<String> names = wanted.stream().map(node -> node.key().name()).toList();
    byNode.forEach(
        (node, pods) -> {
          if (!names.contains(node)) {
            pods.forEach(pod -> workloads.deletePod(set, pod, events));
          }
        });
    update(set, names, byNode, revision);
    writeStatus(set, names, byNode, revision);
    return Optional.empty();
  }

  /** Returns the living pods by the node for which they were made; failed ones are deleted. */
  private Map<String, List<StoredObject>> podsByNode(StoredObject set) {
    Map<String, List<StoredObject>> byNode = new HashMap<>();
    for (StoredObject pod : workloads.podsOf(set)) {
      if (Pods.isDeleted(pod.json())) {
        continue;
      }
      if (Pods.isOver(pod.json())) {
        workloads.deletePod(set, pod, events);
      } else {
        byNode.computeIfAbsent(nodeOf(pod.json()), node -> new ArrayList<>()).add(pod);
      }
    }
    return byNode;
  }

  private static String nodeOf(JsonNode pod) {
    String bound = pod.path("spec").path("nodeName").asText();
    return bound.isEmpty()
        ? pod.at(
                "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution"
                    + "/nodeSelectorTerms/0/matchFields/0/values/0")
            .asText()
        : bound;
  }

  private List<StoredObject> wantedNodes(JsonNode podSpec) {
    ObjectNode tolerant = podSpec.deepCopy();
    tolerate(tolerant);
    return workloads.api.store().list(workloads.nodes.storage(), null).objects().stream()
        .filter(node -> NodeTerms.match(podSpec, node.json()) && tolerates(tolerant, node.json()))
        .toList();
  }

  private static boolean tolerates(JsonNode podSpec, JsonNode node) {
    for (JsonNode taint : node.path("spec").path("taints")) {
      if (!taint.path("effect").asText().equals("PreferNoSchedule")
          && Tolerations.of(podSpec, taint).isEmpty()) {
        return false;
      }
    }
    return true;
  }

  /** Adds the tolerations of all daemon pods. */
  private static void tolerate(ObjectNode podSpec) {
    ArrayNode tolerations = podSpec.withArrayProperty("tolerations");
    for (String condition : new String[] {"not-ready", "unreachable"}) {
      toleration(tolerations, condition, "NoExecute");
    }
    List<String> conditions =
        new ArrayList<>(
            List.of("disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"));
    if (podSpec.path("hostNetwork").asBoolean()) {
      conditions.add("network-unavailable");
    }
    conditions.forEach(condition -> toleration(tolerations, condition, "NoSchedule"));
  }

  private static void toleration(ArrayNode tolerations, String condition, String effect) {
    tolerations
        .addObject()
        .put("key", "node.kubernetes.io/" + condition)
        .put("operator", "Exists")
        .put("effect", effect);
  }

  private static ObjectNode pod(StoredObject set, String node, String revision) {
    ObjectNode pod = Pods.fromTemplate(set.json(), set.json().path("spec").path("template"));
    pod.withObject("/metadata/labels").put(TemplateHash.REVISION, revision);
    ObjectNode spec = pod.withObject("/spec");
    tolerate(spec);
    ObjectNode required =
        spec.withObject("/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution");
    ArrayNode terms = required.putArray("nodeSelectorTerms");
    ObjectNode field = terms.addObject().putArray("matchFields").addObject();
    field.put("key", "metadata.name").put("operator", "In").putArray("values").add(node);
    return pod;
  }

  /** Deletes one pod of an earlier template, if all others are ready. */
  private void update(
      StoredObject set,
      List<String> nodes,
      Map<String, List<StoredObject>> byNode,
      String revision) {
    String strategy = set.json().at("/spec/updateStrategy/type").asText("RollingUpdate");
    if (strategy.equals("OnDelete")) {
      return;
    }
    List<StoredObject> old = new ArrayList<>();
    boolean allReady = true;
    for (String node : nodes) {
      StoredObject pod = byNode.get(node).getFirst();
      if (!TemplateHash.isOf(pod, revision)) {
        old.add(pod);
      }
      allReady &= Pods.isReady(pod.json());
    }
    Optional<StoredObject> next =
        allReady
            ? old.stream().findFirst()
            : old.stream().filter(pod -> !Pods.isReady(pod.json())).findFirst();
    next.ifPresent(pod -> workloads.deletePod(set, pod, events));
  }

  private void writeStatus(
      StoredObject set,
      List<String> nodes,
      Map<String, List<StoredObject>> byNode,
      String revision) {
    long minReady = set.json().path("spec").path("minReadySeconds").asLong(0);
    Instant now = workloads.instant();
    int ready = 0;
    int available = 0;
    int updated = 0;
    for (String node : nodes) {
      StoredObject pod = byNode.get(node).getFirst();
      ready += Pods.isReady(pod.json()) ? 1 : 0;
      available += Pods.isAvailable(pod.json(), minReady, now) ? 1 : 0;
      updated += TemplateHash.isOf(pod, revision) ? 1 : 0;
    }
    ObjectNode status =
        set.json().get("status") instanceof ObjectNode old ? old.deepCopy() : Json.object();
    status.put("currentNumberScheduled", nodes.size());
    status.put("desiredNumberScheduled", nodes.size());
    status.put("numberMisscheduled", 0);
    status.put("numberReady", ready);
    ReplicaSetController.putPositive(status, "numberAvailable", available);
    ReplicaSetController.putPositive(status, "numberUnavailable", nodes.size() - available);
    ReplicaSetController.putPositive(status, "updatedNumberScheduled", updated);
    status.put("observedGeneration", set.json().path("metadata").path("generation").asLong(0));
    workloads.status(workloads.daemonSets, set, status);
  }
}
