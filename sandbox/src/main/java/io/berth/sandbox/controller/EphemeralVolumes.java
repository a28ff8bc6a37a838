package io.berth.sandbox.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.loop.EventRecorder;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.time.Duration;
import java.util.Optional;

/**
 * The ephemeral volume controller: creates the claims of generic ephemeral volumes, which belong to
 * their pods and are deleted with them.
 */
final class EphemeralVolumes {
  private final Workloads workloads;
  private final ResourceType claims;
  private final EventRecorder events;

  EphemeralVolumes(Workloads workloads) {
    this.workloads = workloads;
    this.claims = workloads.api.registry().builtIn("", "persistentvolumeclaims");
    this.events = workloads.events("ephemeral_volume");
  }

  /** Returns whether a pod has a generic ephemeral volume. */
  boolean concerns(StoredObject pod) {
    for (JsonNode volume : pod.json().path("spec").path("volumes")) {
      if (volume.has("ephemeral")) {
        return Pods.isActive(pod.json());
      }
    }
    return false;
  }

  Optional<Duration> reconcile(ObjectKey key) {
    Optional<StoredObject> pod = workloads.get(workloads.pods, key).filter(this::concerns);
    if (pod.isPresent()) {
      for (JsonNode volume : pod.get().json().path("spec").path("volumes")) {
        JsonNode template = volume.path("ephemeral").path("volumeClaimTemplate");
        if (template.isObject()) {
          claim(pod.get(), key.name() + "-" + volume.path("name").asText(), template);
        }
      }
    }
    return Optional.empty();
  }

  private void claim(StoredObject pod, String name, JsonNode template) {
    Optional<StoredObject> existing =
        workloads.get(claims, new ObjectKey(pod.key().namespace(), name));
    if (existing.isEmpty()) {
      ObjectNode claim = Json.object();
      claim.put("apiVersion", "v1").put("kind", "PersistentVolumeClaim");
      ObjectNode metadata = claim.putObject("metadata").put("name", name);
      for (String part : new String[] {"labels", "annotations"}) {
        if (template.path("metadata").has(part)) {
          metadata.set(part, template.path("metadata").get(part).deepCopy());
        }
      }
      metadata.putArray("ownerReferences").add(Pods.controllerReference(pod.json()));
      claim.set("spec", template.path("spec").deepCopy());
      workloads.writer.create(claims, pod.key().namespace(), claim);
    } else if (OwnedObjects.controller(existing.get().json())
        .filter(owner -> owner.path("uid").asText().equals(pod.uid()))
        .isEmpty()) {
      events.warning(
          pod.json(),
          "FailedBinding",
          "ephemeral volume: PVC %s/%s was not created for pod %s/%s (pod is not owner)"
              .formatted(pod.key().namespace(), name, pod.key().namespace(), pod.key().name()));
    }
  }
}
