package io.berth.demo.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.demo.invariant.DeviceUse;
import io.berth.demo.tenants.ObjectKey;
import io.berth.operator.api.Answer;

/**
 * The requests about resource claims, with the preconditions and the validation of the API server:
 * an allocation is not changed, only removed, and a claim without one is reserved for nobody.
 */
final class SimulatedClaims {
  static final String RESOURCE = "resourceclaims";

  private static final int MOST_CONSUMERS = 256;

  private final ApiStore store;

  SimulatedClaims(ApiStore store) {
    this.store = store;
  }

  /**
   * Returns whether the change is that of a claim that is about to get devices: a scheduler
   * protects it before.
   */
  static boolean isAboutToBeAllocated(ApiStore.Change change) {
    ObjectNode claim = change.object();
    return change.key().kind().equals(DeviceUse.CLAIM)
        && !change.deleted()
        && !claim.at("/metadata/finalizers").isEmpty()
        && !claim.at("/status/allocation").isObject();
  }

  private static ObjectKey key(ApiPath path) {
    return new ObjectKey(DeviceUse.CLAIM, path.namespace(), path.name());
  }

  private static Answer notFound(ApiPath path) {
    return SimulatedServer.status(404, "resourceclaims \"" + path.name() + "\" not found");
  }

  Answer create(ApiPath path, ObjectNode claim) {
    claim.withObject("/metadata").put("namespace", path.namespace());
    ObjectKey key = ObjectKey.of(claim);
    if (store.find(key).isPresent()) {
      return SimulatedServer.status(409, "resourceclaims \"" + key.name() + "\" already exists");
    }
    store.put(claim);
    return SimulatedServer.ok(201, store.find(key).orElseThrow());
  }

  Answer read(ApiPath path) {
    return store
        .find(key(path))
        .map(claim -> SimulatedServer.ok(200, claim))
        .orElseGet(() -> notFound(path));
  }

  /** Merges a patch into the claim, or into its status only. */
  Answer patch(ApiPath path, JsonNode patch) {
    ObjectKey key = key(path);
    ObjectNode claim = store.find(key).orElse(null);
    if (claim == null) {
      return notFound(path);
    }
    JsonNode metadata = patch.path("metadata");
    JsonNode version = metadata.path("resourceVersion");
    if (!SimulatedServer.hasUid(claim, metadata.path("uid"))
        || (version.isTextual() && !version.equals(claim.at("/metadata/resourceVersion")))) {
      return SimulatedServer.status(409, "the claim has been modified");
    }
    ObjectNode changed = claim.deepCopy();
    if (path.subresource().equals("status")) {
      merge(changed.withObject("/status"), patch.path("status"));
    } else if (metadata.has("finalizers")) {
      changed.withObject("/metadata").set("finalizers", metadata.path("finalizers"));
    }
    String mistake = mistake(claim.path("status"), changed.path("status"));
    if (!mistake.isEmpty()) {
      return SimulatedServer.status(422, mistake);
    }
    store.write(
        key,
        stored -> {
          stored.removeAll();
          stored.setAll(changed);
        });
    // A terminating claim without finalizers is gone.
    return SimulatedServer.ok(200, store.find(key).orElse(changed));
  }

  private static void merge(ObjectNode into, JsonNode patch) {
    patch
        .properties()
        .forEach(
            field -> {
              if (field.getValue().isNull()) {
                into.remove(field.getKey());
              } else {
                into.set(field.getKey(), field.getValue());
              }
            });
  }

  private static String mistake(JsonNode before, JsonNode after) {
    JsonNode allocation = after.path("allocation");
    JsonNode consumers = after.path("reservedFor");
    if (before.path("allocation").isObject()
        && allocation.isObject()
        && !before.path("allocation").equals(allocation)) {
      return "status.allocation: field is immutable";
    }
    if (!allocation.isObject() && !consumers.isEmpty()) {
      return "status.reservedFor: forbidden: may not be specified when `allocated` is not set";
    }
    return consumers.size() > MOST_CONSUMERS
        ? "status.reservedFor: Too long: may not be more than " + MOST_CONSUMERS
        : "";
  }

  Answer delete(ApiPath path, JsonNode options) {
    ObjectKey key = key(path);
    ObjectNode claim = store.find(key).orElse(null);
    if (claim == null) {
      return notFound(path);
    }
    if (!SimulatedServer.hasUid(claim, options.path("preconditions").path("uid"))) {
      return SimulatedServer.status(409, "the UID in the precondition does not match");
    }
    store.delete(key);
    return SimulatedServer.ok(200, claim);
  }
}
