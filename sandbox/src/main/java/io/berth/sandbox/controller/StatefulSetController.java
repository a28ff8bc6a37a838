package io.berth.sandbox.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.loop.EventRecorder;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.time.Duration;
import java.time.Instant;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The StatefulSet controller: keeps pods with ordinals, each with its own claims. Pods are created
 * in order, each when the one before it is ready, or all at once ({@code Parallel}). A changed
 * template replaces them from the last one, above {@code partition}, or those that somebody deletes
 * ({@code OnDelete}).
 */
final class StatefulSetController {
  private final Workloads workloads;
  private final ResourceType claims;
  private final EventRecorder events;

  StatefulSetController(Workloads workloads) {
    this.workloads = workloads;
    this.claims = workloads.api.registry().builtIn("", "persistentvolumeclaims");
    this.events = workloads.events("statefulset-controller");
  }

  Optional<Duration> reconcile(ObjectKey key) {
    Optional<StoredObject> found = workloads.get(workloads.statefulSets, key);
    if (found.isEmpty() || Pods.isDeleted(found.get().json())) {
      return Optional.empty();
    }
    StoredObject set = found.get();
    workloads.podAdoption.claim(set);
    JsonNode spec = set.json().path("spec");
    String revision = TemplateHash.of(spec.path("template"));
    NavigableMap<Integer, StoredObject> pods = pods(set);
    boolean inOrder = !spec.path("podManagementPolicy").asText().equals("Parallel");
    boolean waits =
        replaceOver(set, pods)
            || (create(set, pods, revision, inOrder) && inOrder)
            || remove(set, pods, inOrder);
    if (!waits) {
      update(set, revision);
    }
    writeStatus(set, revision);
    return Optional.empty();
  }

  private static int first(StoredObject set) {
    return set.json().at("/spec/ordinals/start").asInt(0);
  }

  private static int replicas(StoredObject set) {
    return set.json().path("spec").path("replicas").asInt(1);
  }

  /** Returns the pods by their ordinals; those that terminate are among them. */
  private NavigableMap<Integer, StoredObject> pods(StoredObject set) {
    NavigableMap<Integer, StoredObject> pods = new TreeMap<>();
    String prefix = set.key().name() + "-";
    for (StoredObject pod : workloads.podsOf(set)) {
      String name = pod.key().name();
      String ordinal = name.startsWith(prefix) ? name.substring(prefix.length()) : "";
      if (ordinal.matches("[0-9]{1,9}")) {
        pods.put(Integer.parseInt(ordinal), pod);
      }
    }
    return pods;
  }

  /** Deletes pods that have ended, which are created again; returns whether there are any. */
  private boolean replaceOver(StoredObject set, NavigableMap<Integer, StoredObject> pods) {
    boolean any = false;
    for (StoredObject pod : pods.values()) {
      if (Pods.isOver(pod.json()) && !Pods.isDeleted(pod.json())) {
        workloads.deletePod(set, pod, events);
        any = true;
      }
    }
    return any;
  }

  /**
   * Creates missing pods; returns whether the set is not complete yet.
   *
   * @param inOrder whether each pod waits until those before it are ready
   */
  private boolean create(
      StoredObject set,
      NavigableMap<Integer, StoredObject> pods,
      String revision,
      boolean inOrder) {
    boolean incomplete = false;
    for (int i = first(set); i < first(set) + replicas(set); i++) {
      StoredObject pod = pods.get(i);
      if (pod == null) {
        createClaims(set, i);
        workloads.createPod(set, pod(set, i, revision), events);
        incomplete = true;
      } else {
        incomplete |= Pods.isDeleted(pod.json()) || !Pods.isReady(pod.json());
      }
      if (incomplete && inOrder) {
        return true;
      }
    }
    return incomplete;
  }

  private void createClaims(StoredObject set, int ordinal) {
    for (JsonNode template : set.json().path("spec").path("volumeClaimTemplates")) {
      ObjectKey key = new ObjectKey(set.key().namespace(), claimName(set, template, ordinal));
      if (workloads.get(claims, key).isPresent()) {
        continue;
      }
      ObjectNode claim = Json.object();
      claim.put("apiVersion", "v1").put("kind", "PersistentVolumeClaim");
      ObjectNode metadata = claim.putObject("metadata").put("name", key.name());
      ObjectNode labels = metadata.putObject("labels");
      template
          .path("metadata")
          .path("labels")
          .properties()
          .forEach(label -> labels.set(label.getKey(), label.getValue()));
      set.json()
          .at("/spec/selector/matchLabels")
          .properties()
          .forEach(label -> labels.set(label.getKey(), label.getValue()));
      if (template.path("metadata").has("annotations")) {
        metadata.set("annotations", template.path("metadata").path("annotations").deepCopy());
      }
      claim.set("spec", template.path("spec").deepCopy());
      workloads.writer.create(claims, key.namespace(), claim);
    }
  }

  private static String claimName(StoredObject set, JsonNode template, int ordinal) {
    return "%s-%s-%d"
        .formatted(template.path("metadata").path("name").asText(), set.key().name(), ordinal);
  }

  private static ObjectNode pod(StoredObject set, int ordinal, String revision) {
    JsonNode setSpec = set.json().path("spec");
    ObjectNode pod = Pods.fromTemplate(set.json(), setSpec.path("template"));
    String name = set.key().name() + "-" + ordinal;
    ObjectNode metadata = pod.withObject("/metadata").put("name", name);
    metadata.remove("generateName");
    metadata
        .withObject("/labels")
        .put(TemplateHash.REVISION, revision)
        .put("statefulset.kubernetes.io/pod-name", name)
        .put("apps.kubernetes.io/pod-index", Integer.toString(ordinal));
    ObjectNode spec = pod.withObject("/spec").put("hostname", name);
    if (!setSpec.path("serviceName").asText().isEmpty()) {
      spec.put("subdomain", setSpec.path("serviceName").asText());
    }
    for (JsonNode template : setSpec.path("volumeClaimTemplates")) {
      String volume = template.path("metadata").path("name").asText();
      ArrayNode volumes = spec.withArrayProperty("volumes");
      volumes.removeIf(other -> other.path("name").asText().equals(volume));
      volumes
          .addObject()
          .put("name", volume)
          .putObject("persistentVolumeClaim")
          .put("claimName", claimName(set, template, ordinal));
    }
    return pod;
  }

  /** Deletes pods beyond the wanted number, the last one first; returns whether there are any. */
  private boolean remove(
      StoredObject set, NavigableMap<Integer, StoredObject> pods, boolean inOrder) {
    Stream<StoredObject> beyond =
        pods.descendingMap().entrySet().stream()
            .filter(pod -> pod.getKey() < first(set) || pod.getKey() >= first(set) + replicas(set))
            .map(pod -> pod.getValue());
    var all = inOrder ? beyond.limit(1).toList() : beyond.toList();
    all.stream()
        .filter(pod -> !Pods.isDeleted(pod.json()))
        .forEach(pod -> workloads.deletePod(set, pod, events));
    return !all.isEmpty();
  }

  /** Deletes the last pod of an earlier template, unless one behind it is not ready yet. */
  private void update(StoredObject set, String revision) {
    JsonNode strategy = set.json().path("spec").path("updateStrategy");
    if (strategy.path("type").asText("RollingUpdate").equals("OnDelete")) {
      return;
    }
    int partition = strategy.path("rollingUpdate").path("partition").asInt(0);
    NavigableMap<Integer, StoredObject> pods = pods(set);
    for (int i = first(set) + replicas(set) - 1; i >= Math.max(first(set), partition); i--) {
      StoredObject pod = pods.get(i);
      if (pod == null || Pods.isDeleted(pod.json())) {
        return;
      }
      if (!TemplateHash.isOf(pod, revision)) {
        workloads.deletePod(set, pod, events);
        return;
      }
      if (!Pods.isReady(pod.json())) {
        return;
      }
    }
  }

  private void writeStatus(StoredObject set, String revision) {
    long minReady = set.json().path("spec").path("minReadySeconds").asLong(0);
    Instant now = workloads.instant();
    int replicas = 0;
    int ready = 0;
    int available = 0;
    int updated = 0;
    for (StoredObject pod : pods(set).values()) {
      replicas++;
      ready += Pods.isReady(pod.json()) ? 1 : 0;
      available += Pods.isAvailable(pod.json(), minReady, now) ? 1 : 0;
      updated += TemplateHash.isOf(pod, revision) ? 1 : 0;
    }
    ObjectNode status =
        set.json().get("status") instanceof ObjectNode old ? old.deepCopy() : Json.object();
    String name = set.key().name() + "-";
    status.put("replicas", replicas);
    status.put("availableReplicas", available);
    ReplicaSetController.putPositive(status, "readyReplicas", ready);
    ReplicaSetController.putPositive(status, "updatedReplicas", updated);
    status.put("updateRevision", name + revision);
    boolean complete = updated == replicas && replicas == replicas(set);
    if (complete || !status.has("currentRevision")) {
      status.put("currentRevision", name + revision);
    }
    boolean current = status.path("currentRevision").asText().equals(name + revision);
    ReplicaSetController.putPositive(
        status, "currentReplicas", current ? updated : replicas - updated);
    status.put("observedGeneration", set.json().path("metadata").path("generation").asLong(0));
    status.put("collisionCount", 0);
    workloads.status(workloads.statefulSets, set, status);
  }
}
