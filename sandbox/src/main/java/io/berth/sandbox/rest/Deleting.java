package io.berth.sandbox.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.admission.AdmissionRequest;
import io.berth.sandbox.admission.Operation;
import io.berth.sandbox.auth.Caller;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The delete operation: immediate, with a grace period, or pending until the last finalizer has
 * been removed.
 */
final class Deleting {
  private static final String FOREGROUND = "foregroundDeletion";
  private static final String ORPHAN = "orphan";
  private static final Set<String> FINISHED = Set.of("Succeeded", "Failed");

  private final RestParts parts;
  private final AfterWrite afterWrite;

  Deleting(RestParts parts, AfterWrite afterWrite) {
    this.parts = parts;
    this.afterWrite = afterWrite;
  }

  /**
   * Returns whether a terminating object can be removed, because it has neither finalizers nor a
   * remaining grace period.
   */
  static boolean isOver(ObjectNode object) {
    JsonNode metadata = object.path("metadata");
    boolean held =
        object.path("kind").asText().equals("Namespace")
            && !object.path("spec").path("finalizers").isEmpty();
    return metadata.has("deletionTimestamp")
        && metadata.path("finalizers").isEmpty()
        && metadata.path("deletionGracePeriodSeconds").asLong() == 0
        && !held;
  }

  StoredObject delete(
      Caller caller,
      ResourceType type,
      @Nullable String namespace,
      String name,
      DeleteOptions options) {
    ObjectKey key = type.key(namespace, name);
    boolean admitted = false;
    while (true) {
      StoredObject current =
          parts
              .store()
              .get(type.storage(), key)
              .orElseThrow(() -> Failures.notFound(type.qualified(), name));
      checkPreconditions(type, current, options);
      if (!admitted) {
        parts.admission().validate(request(caller, type, current, options));
        admitted = true;
      }
      ObjectNode next = mark(type, current, options);
      if (options.dryRun()) {
        return current;
      }
      if (isOver(next)) {
        Optional<StoredObject> removed = remove(type, current, next);
        if (removed.isPresent()) {
          return removed.get();
        }
      } else if (next.equals(current.json())) {
        return current;
      } else {
        Optional<StoredObject> marked = parts.store().replace(type.storage(), current, next);
        if (marked.isPresent()) {
          afterWrite.updated(type, marked.get());
          return marked.get();
        }
      }
    }
  }

  /** Removes an object from the store; empty if it has been changed concurrently. */
  Optional<StoredObject> remove(ResourceType type, StoredObject current, ObjectNode last) {
    Optional<StoredObject> removed = parts.store().delete(type.storage(), current, last);
    removed.ifPresent(gone -> afterWrite.deleted(type, gone));
    return removed;
  }

  private static void checkPreconditions(
      ResourceType type, StoredObject current, DeleteOptions options) {
    options
        .uid()
        .filter(uid -> !uid.equals(current.uid()))
        .ifPresent(
            uid -> {
              throw Failures.conflict(
                  type.qualified(),
                  current.key().name(),
                  "Precondition failed: UID in precondition: "
                      + uid
                      + ", UID in object meta: "
                      + current.uid());
            });
    String version = Long.toString(current.resourceVersion());
    options
        .resourceVersion()
        .filter(expected -> !expected.equals(version))
        .ifPresent(
            expected -> {
              throw Failures.conflict(
                  type.qualified(),
                  current.key().name(),
                  "Precondition failed: ResourceVersion in precondition: "
                      + expected
                      + ", ResourceVersion in object meta: "
                      + version);
            });
  }

  private static AdmissionRequest request(
      Caller caller, ResourceType type, StoredObject current, DeleteOptions options) {
    return new AdmissionRequest(
        Operation.DELETE,
        type,
        "",
        current.key().namespace(),
        current.key().name(),
        Optional.empty(),
        Optional.of(current.json()),
        Json.object().put("kind", "DeleteOptions").put("apiVersion", "meta.k8s.io/v1"),
        caller,
        options.dryRun(),
        warning -> {});
  }

  private ObjectNode mark(ResourceType type, StoredObject current, DeleteOptions options) {
    ObjectNode next = current.copy();
    ObjectNode metadata = next.withObjectProperty("metadata");
    boolean orphans = !type.custom() && parts.kinds().apply(type).orphansByDefault();
    addFinalizer(metadata, options.propagationPolicy().orElse(orphans ? "Orphan" : "Background"));
    long grace = type.is("", "pods") ? gracePeriod(next, options) : 0;
    boolean marked = metadata.has("deletionTimestamp");
    if (!marked || grace < metadata.path("deletionGracePeriodSeconds").asLong()) {
      metadata.put(
          "deletionTimestamp",
          marked && grace == 0
              ? metadata.path("deletionTimestamp").asText()
              : parts
                  .clock()
                  .instant()
                  .plusSeconds(grace)
                  .truncatedTo(ChronoUnit.SECONDS)
                  .toString());
      metadata.put("deletionGracePeriodSeconds", grace);
      if (metadata.has("generation") && !marked) {
        metadata.put("generation", metadata.path("generation").asLong() + 1);
      }
    }
    if (type.is("", "namespaces")) {
      next.withObjectProperty("status").put("phase", "Terminating");
    }
    return next;
  }

  private static long gracePeriod(ObjectNode pod, DeleteOptions options) {
    JsonNode spec = pod.path("spec");
    if (spec.path("nodeName").asText().isEmpty()
        || FINISHED.contains(pod.path("status").path("phase").asText())) {
      return 0;
    }
    long own = spec.path("terminationGracePeriodSeconds").asLong(30);
    long asked = options.gracePeriodSeconds().orElse(own);
    return asked < 0 ? 1 : asked;
  }

  private static void addFinalizer(ObjectNode metadata, String policy) {
    String finalizer =
        switch (policy) {
          case "Foreground" -> FOREGROUND;
          case "Orphan" -> ORPHAN;
          default -> "";
        };
    if (finalizer.isEmpty() || metadata.has("deletionTimestamp")) {
      return;
    }
    ArrayNode finalizers = metadata.withArrayProperty("finalizers");
    for (JsonNode present : finalizers) {
      if (present.asText().equals(finalizer)) {
        return;
      }
    }
    finalizers.add(finalizer);
  }
}
