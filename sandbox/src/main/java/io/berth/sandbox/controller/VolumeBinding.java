package io.berth.sandbox.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.loop.EventRecorder;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.rest.DeleteOptions;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The persistent volume controller: binds claims to matching volumes and releases the volumes of
 * deleted claims. A claim whose StorageClass uses WaitForFirstConsumer is bound once a scheduler
 * has selected its node or its volume. If the class has a provisioner, a volume is provisioned.
 */
final class VolumeBinding {
  private static final String BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
  private static final String BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";
  private static final String SELECTED_NODE = "volume.kubernetes.io/selected-node";
  private static final String NO_PROVISIONER = "kubernetes.io/no-provisioner";

  private final Workloads workloads;
  private final ResourceType claims;
  private final ResourceType volumes;
  private final ResourceType classes;
  private final EventRecorder events;

  VolumeBinding(Workloads workloads) {
    this.workloads = workloads;
    this.claims = workloads.api.registry().builtIn("", "persistentvolumeclaims");
    this.volumes = workloads.api.registry().builtIn("", "persistentvolumes");
    this.classes = workloads.api.registry().builtIn("storage.k8s.io", "storageclasses");
    this.events = workloads.events("persistentvolume-controller");
  }

  ResourceType claims() {
    return claims;
  }

  ResourceType volumes() {
    return volumes;
  }

  /** Returns the key of the volume that a claim names. */
  Optional<ObjectKey> volumeOf(StoredObject claim) {
    String name = claim.json().path("spec").path("volumeName").asText();
    return name.isEmpty() ? Optional.empty() : Optional.of(volumes.key("", name));
  }

  /**
   * Returns the claims that a changed volume may affect: the claim it references, or otherwise all
   * claims that are not bound.
   */
  List<ObjectKey> claimsFor(StoredObject volume) {
    JsonNode reference = volume.json().path("spec").path("claimRef");
    if (reference.isObject()) {
      return List.of(
          new ObjectKey(reference.path("namespace").asText(), reference.path("name").asText()));
    }
    return workloads.api.store().list(claims.storage(), null).objects().stream()
        .filter(claim -> !isBound(claim.json()))
        .map(StoredObject::key)
        .toList();
  }

  Optional<Duration> reconcileClaim(ObjectKey key) {
    Optional<StoredObject> found = workloads.get(claims, key);
    if (found.isEmpty() || Pods.isDeleted(found.get().json()) || isBound(found.get().json())) {
      return Optional.empty();
    }
    StoredObject claim = found.get();
    Optional<StoredObject> volume =
        volumeOf(claim).isPresent()
            ? volumeOf(claim)
                .flatMap(name -> workloads.get(volumes, name))
                .filter(named -> VolumeMatch.isFreeFor(named.json(), claim))
            : choose(claim);
    volume.ifPresent(chosen -> bind(claim, chosen));
    return Optional.empty();
  }

  Optional<Duration> reconcileVolume(ObjectKey key) {
    Optional<StoredObject> found = workloads.get(volumes, key);
    if (found.isEmpty() || Pods.isDeleted(found.get().json())) {
      return Optional.empty();
    }
    StoredObject volume = found.get();
    JsonNode spec = volume.json().path("spec");
    String held = spec.path("claimRef").path("uid").asText();
    if (held.isEmpty()) {
      phase(volume, "Available");
      return Optional.empty();
    }
    Optional<StoredObject> holder =
        claimsFor(volume).stream()
            .flatMap(claim -> workloads.get(claims, claim).stream())
            .filter(claim -> claim.uid().equals(held))
            .findFirst();
    if (holder.isEmpty()) {
      phase(volume, "Released");
      if (spec.path("persistentVolumeReclaimPolicy").asText().equals("Delete")) {
        workloads.writer.delete(volumes, key, volume.uid(), DeleteOptions.plain());
      }
    } else if (volumeOf(holder.get()).filter(key::equals).isPresent()) {
      phase(volume, "Bound");
    }
    return Optional.empty();
  }

  private static boolean isBound(JsonNode claim) {
    return claim.path("metadata").path("annotations").has(BIND_COMPLETED);
  }

  /**
   * Selects a volume for a claim that names none: an existing one, or one provisioned by its class.
   */
  private Optional<StoredObject> choose(StoredObject claim) {
    List<StoredObject> all = workloads.api.store().list(volumes.storage(), null).objects();
    Optional<StoredObject> kept =
        all.stream().filter(volume -> VolumeMatch.isKeptFor(volume.json(), claim)).findFirst();
    if (kept.isPresent()) {
      return kept;
    }
    Optional<StoredObject> storageClass =
        workloads.get(classes, classes.key("", VolumeMatch.className(claim.json())));
    String node = claim.json().path("metadata").path("annotations").path(SELECTED_NODE).asText();
    boolean waits =
        storageClass
            .filter(
                each ->
                    each.json().path("volumeBindingMode").asText().equals("WaitForFirstConsumer"))
            .isPresent();
    if (waits && node.isEmpty()) {
      events.normal(
          claim.json(),
          "WaitForFirstConsumer",
          "waiting for first consumer to be created before binding");
      return Optional.empty();
    }
    if (waits && workloads.get(workloads.nodes, workloads.nodes.key("", node)).isEmpty()) {
      giveBack(claim, node);
      return Optional.empty();
    }
    Optional<StoredObject> fitting = waits ? Optional.empty() : VolumeMatch.smallest(all, claim);
    return fitting.isPresent()
        ? fitting
        : storageClass
            .filter(each -> !each.json().path("provisioner").asText().equals(NO_PROVISIONER))
            .map(each -> provision(claim, each, node));
  }

  /** Lets the scheduler select another node, because no volume can be provisioned for this one. */
  private void giveBack(StoredObject claim, String node) {
    events.warning(
        claim.json(),
        "ProvisioningFailed",
        "failed to get target node: node \"" + node + "\" not found");
    workloads.writer.change(
        claims,
        claim.key(),
        claim.uid(),
        "",
        tree ->
            tree.path("metadata").path("annotations") instanceof ObjectNode annotations
                && annotations.remove(SELECTED_NODE) != null);
  }

  /** Creates a volume as a provisioner would, accessible from the zone of the selected node. */
  private StoredObject provision(StoredObject claim, StoredObject storageClass, String node) {
    String name = "pvc-" + claim.uid();
    Optional<StoredObject> made = workloads.get(volumes, volumes.key("", name));
    if (made.isPresent()) {
      return made.get();
    }
    JsonNode wanted = claim.json().path("spec");
    String provisioner = storageClass.json().path("provisioner").asText();
    ObjectNode volume = Json.object().put("apiVersion", "v1").put("kind", "PersistentVolume");
    volume
        .putObject("metadata")
        .put("name", name)
        .putObject("annotations")
        .put("pv.kubernetes.io/provisioned-by", provisioner);
    ObjectNode spec = volume.putObject("spec");
    spec.set("accessModes", wanted.path("accessModes").deepCopy());
    spec.set("capacity", wanted.path("resources").path("requests").deepCopy());
    spec.putObject("csi").put("driver", provisioner).put("volumeHandle", name);
    spec.set("claimRef", reference(claim));
    spec.put(
        "persistentVolumeReclaimPolicy",
        storageClass.json().path("reclaimPolicy").asText("Delete"));
    spec.put("storageClassName", storageClass.key().name());
    spec.put("volumeMode", wanted.path("volumeMode").asText("Filesystem"));
    zoneOf(node).ifPresent(zone -> VolumeMatch.restrictToZone(spec, zone));
    StoredObject created = workloads.writer.create(volumes, "", volume);
    events.normal(claim.json(), "ProvisioningSucceeded", "Successfully provisioned volume " + name);
    return created;
  }

  private Optional<String> zoneOf(String node) {
    return workloads
        .get(workloads.nodes, workloads.nodes.key("", node))
        .map(found -> found.labels().getOrDefault(VolumeMatch.ZONE, ""))
        .filter(zone -> !zone.isEmpty());
  }

  private static ObjectNode reference(StoredObject claim) {
    return Json.object()
        .put("apiVersion", "v1")
        .put("kind", "PersistentVolumeClaim")
        .put("name", claim.key().name())
        .put("namespace", claim.key().namespace())
        .put("resourceVersion", Long.toString(claim.resourceVersion()))
        .put("uid", claim.uid());
  }

  private void bind(StoredObject claim, StoredObject volume) {
    Optional<StoredObject> held =
        workloads.writer.change(
            volumes,
            volume.key(),
            volume.uid(),
            "",
            tree -> {
              if (tree.path("spec").path("claimRef").path("uid").asText().equals(claim.uid())) {
                return false;
              }
              if (VolumeMatch.isFreeFor(tree, claim)) {
                tree.withObject("spec").set("claimRef", reference(claim));
                tree.withObject("/metadata/annotations").put(BOUND_BY_CONTROLLER, "yes");
                return true;
              }
              return false;
            });
    if (held.isEmpty()
        || !held.get()
            .json()
            .path("spec")
            .path("claimRef")
            .path("uid")
            .asText()
            .equals(claim.uid())) {
      return;
    }
    JsonNode spec = held.get().json().path("spec");
    workloads
        .writer
        .change(
            claims,
            claim.key(),
            claim.uid(),
            "",
            tree -> {
              ObjectNode annotations = tree.withObject("/metadata/annotations");
              if (tree.path("spec").path("volumeName").asText().isEmpty()) {
                tree.withObject("spec").put("volumeName", volume.key().name());
                annotations.put(BOUND_BY_CONTROLLER, "yes");
              }
              annotations.put(BIND_COMPLETED, "yes");
              return true;
            })
        .ifPresent(
            bound -> {
              ObjectNode status = Json.object();
              status.set("accessModes", spec.path("accessModes").deepCopy());
              status.set("capacity", spec.path("capacity").deepCopy());
              status.put("phase", "Bound");
              workloads.status(claims, bound, status);
            });
  }

  private void phase(StoredObject volume, String phase) {
    ObjectNode status =
        volume.json().get("status") instanceof ObjectNode old ? old.deepCopy() : Json.object();
    if (!status.path("phase").asText().equals(phase)) {
      status.put("lastPhaseTransitionTime", workloads.now()).put("phase", phase);
    }
    workloads.status(volumes, volume, status);
  }
}
