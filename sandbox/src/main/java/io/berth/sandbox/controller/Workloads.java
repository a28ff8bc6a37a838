package io.berth.sandbox.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.loop.EventRecorder;
import io.berth.sandbox.loop.ObjectWriter;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.rest.ClusterApi;
import io.berth.sandbox.rest.DeleteOptions;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** State shared by the controllers: resource types, indexes of owned objects, and a writer. */
final class Workloads {
  final ClusterApi api;
  final ObjectWriter writer;
  final Clock clock;
  final ResourceType pods;
  final ResourceType nodes;
  final ResourceType replicaSets;
  final ResourceType deployments;
  final ResourceType jobs;
  final ResourceType statefulSets;
  final ResourceType daemonSets;
  final ResourceType replicationControllers;
  final OwnedObjects ownedPods = new OwnedObjects();
  final OwnedObjects ownedSets = new OwnedObjects();
  final Adoption podAdoption;
  final Adoption setAdoption;

  Workloads(ClusterApi api, Clock clock) {
    this.api = api;
    this.writer = new ObjectWriter(api, "kube-controller-manager");
    this.clock = clock;
    this.pods = api.registry().builtIn("", "pods");
    this.nodes = api.registry().builtIn("", "nodes");
    this.replicaSets = api.registry().builtIn("apps", "replicasets");
    this.deployments = api.registry().builtIn("apps", "deployments");
    this.jobs = api.registry().builtIn("batch", "jobs");
    this.statefulSets = api.registry().builtIn("apps", "statefulsets");
    this.daemonSets = api.registry().builtIn("apps", "daemonsets");
    this.replicationControllers = api.registry().builtIn("", "replicationcontrollers");
    this.podAdoption =
        new Adoption(
            this,
            pods,
            ownedPods,
            List.of(replicaSets, replicationControllers, jobs, statefulSets, daemonSets));
    this.setAdoption = new Adoption(this, replicaSets, ownedSets, List.of(deployments));
  }

  Optional<StoredObject> get(ResourceType type, ObjectKey key) {
    return api.store().get(type.storage(), key);
  }

  /** Returns the keys of all objects of a type in a namespace; in all if it is null. */
  List<ObjectKey> keys(ResourceType type, @Nullable String namespace) {
    return api.store().list(type.storage(), namespace).objects().stream()
        .map(StoredObject::key)
        .toList();
  }

  List<StoredObject> podsOn(String node) {
    return api.store().listByField(pods.storage(), "spec.nodeName", node, null).objects();
  }

  /**
   * Sets the DisruptionTarget condition, which states why a pod is about to be deleted, and the
   * phase Failed if {@code fail} is set.
   */
  void disrupt(StoredObject pod, String reason, String message, boolean fail) {
    writer.change(
        pods,
        pod.key(),
        pod.uid(),
        "status",
        tree -> {
          ObjectNode status = tree.withObject("status");
          if (fail && !Pods.isOver(tree)) {
            status.put("phase", "Failed");
          }
          if (status.path("conditions") instanceof ArrayNode conditions) {
            conditions.removeIf(
                condition -> condition.path("type").asText().equals("DisruptionTarget"));
          }
          status
              .withArray("conditions")
              .addObject()
              .put("lastTransitionTime", now())
              .put("message", message)
              .put("reason", reason)
              .put("status", "True")
              .put("type", "DisruptionTarget");
          return true;
        });
  }

  Instant instant() {
    return clock.instant();
  }

  String now() {
    return clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
  }

  EventRecorder events(String component) {
    return new EventRecorder(writer, component, clock);
  }

  /** Creates a pod of an owner and records an event for the success or the failure. */
  StoredObject createPod(StoredObject owner, ObjectNode pod, EventRecorder events) {
    try {
      StoredObject created = writer.create(pods, owner.key().namespace(), pod);
      ownedPods.put(created);
      events.normal(owner.json(), "SuccessfulCreate", "Created pod: " + created.key().name());
      return created;
    } catch (ApiException e) {
      events.warning(owner.json(), "FailedCreate", "Error creating: " + e.getMessage());
      throw e;
    }
  }

  void deletePod(StoredObject owner, StoredObject pod, EventRecorder events) {
    writer.delete(pods, pod.key(), pod.uid(), DeleteOptions.plain());
    Optional<StoredObject> left = get(pods, pod.key());
    if (left.isPresent() && left.get().uid().equals(pod.uid())) {
      ownedPods.put(left.get());
    } else {
      ownedPods.remove(pod.key());
    }
    events.normal(owner.json(), "SuccessfulDelete", "Deleted pod: " + pod.key().name());
  }

  List<StoredObject> podsOf(StoredObject owner) {
    return ownedPods.of(owner.uid());
  }

  /**
   * Sets a condition, in place. {@code lastTransitionTime} changes only if the condition's status
   * does.
   */
  void condition(ObjectNode status, String type, String value, String reason, String message) {
    ArrayNode conditions = status.withArray("conditions");
    ObjectNode condition = null;
    for (JsonNode each : conditions) {
      if (each.path("type").asText().equals(type)) {
        condition = (ObjectNode) each;
      }
    }
    if (condition == null) {
      condition = Json.object();
      conditions.add(condition);
    }
    boolean same =
        condition.path("status").asText().equals(value)
            && condition.path("reason").asText().equals(reason)
            && condition.path("message").asText().equals(message);
    if (same) {
      return;
    }
    if (!condition.path("status").asText().equals(value)) {
      condition.put("lastTransitionTime", now());
    }
    condition.put("lastUpdateTime", now());
    condition.put("message", message).put("reason", reason).put("status", value).put("type", type);
  }

  /** Writes a status if it differs from the stored one. */
  void status(ResourceType type, StoredObject object, ObjectNode status) {
    if (object.json().path("status").equals(status)) {
      return;
    }
    writer.change(
        type,
        object.key(),
        object.uid(),
        "status",
        tree -> {
          if (tree.path("status").equals(status)) {
            return false;
          }
          tree.set("status", status);
          return true;
        });
  }
}
