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
 * The resource claim controller: creates the claims of pods from templates, and names them in the
 * pods' statuses. It takes pods that are over from the claims that they used, and the devices from
 * claims that no pod uses any more.
 */
final class DeviceClaims {
  private static final String FINALIZER = "resource.kubernetes.io/delete-protection";
  private static final String CLAIM_NAME = "resource.kubernetes.io/pod-claim-name";

  private final Workloads workloads;
  private final ResourceType claims;
  private final ResourceType templates;

  DeviceClaims(Workloads workloads) {
    this.workloads = workloads;
    this.claims = workloads.api.registry().builtIn("resource.k8s.io", "resourceclaims");
    this.templates = workloads.api.registry().builtIn("resource.k8s.io", "resourceclaimtemplates");
  }

  ResourceType claims() {
    return claims;
  }

  ResourceType templates() {
    return templates;
  }

  /** Returns whether a claim of the pod is still to be made from its template. */
  boolean concerns(StoredObject pod) {
    if (!Pods.isActive(pod.json())) {
      return false;
    }
    for (JsonNode claim : pod.json().path("spec").path("resourceClaims")) {
      if (claim.has("resourceClaimTemplateName") && !isNamed(pod.json(), claim)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isNamed(JsonNode pod, JsonNode claim) {
    for (JsonNode status : pod.path("status").path("resourceClaimStatuses")) {
      if (status.path("name").equals(claim.path("name"))) {
        return true;
      }
    }
    return false;
  }

  /** Makes the claims of a pod whose templates exist. */
  Optional<Duration> reconcilePod(ObjectKey key) {
    Optional<StoredObject> pod = workloads.get(workloads.pods, key).filter(this::concerns);
    if (pod.isPresent()) {
      for (JsonNode claim : pod.get().json().path("spec").path("resourceClaims")) {
        if (claim.has("resourceClaimTemplateName") && !isNamed(pod.get().json(), claim)) {
          make(pod.get(), claim);
        }
      }
    }
    return Optional.empty();
  }

  private void make(StoredObject pod, JsonNode reference) {
    String name = reference.path("name").asText();
    ObjectKey template =
        new ObjectKey(pod.key().namespace(), reference.path("resourceClaimTemplateName").asText());
    Optional<StoredObject> found = workloads.get(templates, template);
    if (found.isEmpty()) {
      return; // The controller is called again when the template exists.
    }
    JsonNode spec = found.get().json().path("spec");
    String claimName =
        "%s-%s-%08x".formatted(pod.key().name(), name, (pod.uid() + name).hashCode());
    if (workloads.get(claims, new ObjectKey(pod.key().namespace(), claimName)).isEmpty()) {
      ObjectNode claim = Json.object();
      claim.put("apiVersion", "resource.k8s.io/v1").put("kind", "ResourceClaim");
      ObjectNode metadata = claim.putObject("metadata").put("name", claimName);
      metadata.putObject("annotations").put(CLAIM_NAME, name);
      metadata.putArray("ownerReferences").add(Pods.controllerReference(pod.json()));
      claim.set("spec", spec.path("spec").deepCopy());
      workloads.writer.create(claims, pod.key().namespace(), claim);
    }
    workloads.writer.change(
        workloads.pods,
        pod.key(),
        pod.uid(),
        "status",
        changed -> {
          if (isNamed(changed, reference)) {
            return false;
          }
          changed
              .withObject("/status")
              .withArray("resourceClaimStatuses")
              .addObject()
              .put("name", name)
              .put("resourceClaimName", claimName);
          return true;
        });
  }

  /** Returns the claims that a pod uses. */
  List<ObjectKey> claimsOf(StoredObject pod) {
    List<ObjectKey> keys = new ArrayList<>();
    String namespace = pod.key().namespace();
    for (JsonNode claim : pod.json().path("spec").path("resourceClaims")) {
      if (claim.has("resourceClaimName")) {
        keys.add(new ObjectKey(namespace, claim.path("resourceClaimName").asText()));
      }
    }
    JsonNode status = pod.json().path("status");
    for (JsonNode made : status.path("resourceClaimStatuses")) {
      if (made.has("resourceClaimName")) {
        keys.add(new ObjectKey(namespace, made.path("resourceClaimName").asText()));
      }
    }
    JsonNode extended = status.path("extendedResourceClaimStatus");
    if (extended.has("resourceClaimName")) {
      keys.add(new ObjectKey(namespace, extended.path("resourceClaimName").asText()));
    }
    return keys;
  }

  /** Takes pods that are over from a claim, and its devices if none is left. */
  Optional<Duration> reconcileClaim(ObjectKey key) {
    Optional<StoredObject> claim = workloads.get(claims, key);
    if (claim.isEmpty()) {
      return Optional.empty();
    }
    String uid = claim.get().uid();
    Optional<StoredObject> released =
        workloads.writer.change(claims, key, uid, "status", changed -> release(key, changed));
    boolean free =
        released.map(now -> !now.json().path("status").path("allocation").isObject()).orElse(false);
    if (free) {
      workloads.writer.change(claims, key, uid, "", DeviceClaims::unprotect);
    }
    return Optional.empty();
  }

  private boolean release(ObjectKey key, ObjectNode claim) {
    ArrayNode users = Json.object().putArray("users");
    JsonNode before = claim.path("status").path("reservedFor");
    for (JsonNode user : before) {
      if (isUsedBy(key, user)) {
        users.add(user);
      }
    }
    if (users.size() == before.size()) {
      return false;
    }
    ObjectNode status = claim.withObject("/status");
    if (users.isEmpty()) {
      status.remove(List.of("reservedFor", "allocation", "devices"));
    } else {
      status.set("reservedFor", users);
    }
    return true;
  }

  private boolean isUsedBy(ObjectKey claim, JsonNode user) {
    return workloads
        .get(workloads.pods, new ObjectKey(claim.namespace(), user.path("name").asText()))
        .filter(pod -> pod.uid().equals(user.path("uid").asText()))
        .filter(pod -> !Pods.isOver(pod.json()))
        .isPresent();
  }

  private static boolean unprotect(ObjectNode claim) {
    JsonNode metadata = claim.path("metadata");
    ArrayNode others = Json.object().putArray("finalizers");
    for (JsonNode finalizer : metadata.path("finalizers")) {
      if (!finalizer.asText().equals(FINALIZER)) {
        others.add(finalizer);
      }
    }
    if (!metadata.has("deletionTimestamp") || others.size() == metadata.path("finalizers").size()) {
      return false;
    }
    ((ObjectNode) metadata).set("finalizers", others);
    return true;
  }
}
