package io.berth.sandbox.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.admission.AdmissionRequest;
import io.berth.sandbox.admission.Operation;
import io.berth.sandbox.auth.Caller;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.failure.FieldError;
import io.berth.sandbox.kind.KindRules;
import io.berth.sandbox.patch.PatchType;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The update and patch operations, for objects and their subresources. */
final class Updating {
  private static final int ATTEMPTS = 5;
  private static final String ANY_VERSION = "0";
  private final RestParts parts;
  private final ObjectPreparation preparation;
  private final Creating creating;
  private final Deleting deleting;
  private final AfterWrite afterWrite;

  Updating(
      RestParts parts,
      ObjectPreparation preparation,
      Creating creating,
      Deleting deleting,
      AfterWrite afterWrite) {
    this.parts = parts;
    this.preparation = preparation;
    this.creating = creating;
    this.deleting = deleting;
    this.afterWrite = afterWrite;
  }

  /** The request that changes an object, which decides who owns the fields that it sets. */
  private enum Write {
    UPDATE("UpdateOptions"),
    PATCH("PatchOptions"),
    APPLY("PatchOptions");

    private final String options;

    Write(String options) {
      this.options = options;
    }
  }

  /** A function that computes the new version from the current one. */
  private interface Change {
    ObjectNode apply(StoredObject current);
  }

  StoredObject update(
      Caller caller,
      ResourceType type,
      @Nullable String namespace,
      String name,
      String subresource,
      ObjectNode sent,
      WriteOptions options) {
    ObjectNode object = preparation.decode(type, sent, options);
    checkName(type, namespace, name, object);
    ObjectKey key = type.key(namespace, name);
    if (parts.store().get(type.storage(), key).isEmpty()) {
      if (subresource.isEmpty() && preparation.rules(type).createsOnUpdate()) {
        return creating.store(caller, type, namespace, object, options, false);
      }
      throw Failures.notFound(type.qualified(), name);
    }
    String version = object.path("metadata").path("resourceVersion").asText();
    if (version.isEmpty() && !preparation.rules(type).allowsUnconditionalUpdate()) {
      ObjectPreparation.refuse(
          type,
          object,
          List.of(
              new FieldError(
                  "metadata.resourceVersion",
                  "FieldValueInvalid",
                  "Invalid value: 0: must be specified for an update")));
    }
    // A retry of a conditional update always fails, so the object need not be copied.
    boolean conditional = !version.isEmpty() && !version.equals(ANY_VERSION);
    Change change = conditional ? current -> object : current -> object.deepCopy();
    return change(caller, type, key, subresource, change, options, Write.UPDATE);
  }

  private static void checkName(
      ResourceType type, @Nullable String namespace, String name, ObjectNode object) {
    ObjectNode metadata = object.withObjectProperty("metadata");
    String own = metadata.path("name").asText();
    if (own.isEmpty()) {
      throw Failures.badRequest("name must be provided");
    }
    if (!own.equals(name)) {
      throw Failures.badRequest(
          "the name of the object (" + own + ") does not match the name on the URL (" + name + ")");
    }
    if (type.namespaced()) {
      String sent = metadata.path("namespace").asText();
      String asked = namespace == null ? "" : namespace;
      if (!sent.isEmpty() && !sent.equals(asked)) {
        throw Failures.badRequest(
            "the namespace of the object ("
                + sent
                + ") does not match the namespace on the URL ("
                + asked
                + ")");
      }
      metadata.put("namespace", asked);
    }
  }

  StoredObject patch(
      Caller caller,
      ResourceType type,
      @Nullable String namespace,
      String name,
      String subresource,
      PatchType patchType,
      JsonNode patch,
      WriteOptions options) {
    ObjectKey key = type.key(namespace, name);
    if (patchType == PatchType.APPLY) {
      return apply(caller, type, key, subresource, patch, options);
    }
    if (patchType == PatchType.STRATEGIC && type.custom()) {
      throw Failures.unsupportedMediaType(
          "the body of the request was in an unknown format - accepted media types include:"
              + " application/json-patch+json, application/merge-patch+json,"
              + " application/apply-patch+yaml");
    }
    Change change =
        current -> {
          ObjectNode shown = Views.tree(type, current);
          boolean noStatus = patchType == PatchType.JSON && showEmptyStatus(type, shown);
          ObjectNode patched =
              parts.patcher().apply(patchType, shown, patch, parts.schemas().find(type));
          if (noStatus && patched.path("status").isEmpty()) {
            patched.remove("status");
          }
          ObjectNode decoded = preparation.decode(type, patched, options);
          checkName(type, key.namespace(), name, decoded);
          return decoded;
        };
    return change(caller, type, key, subresource, change, options, Write.PATCH);
  }

  /**
   * Adds the empty status that built-in kinds have in the API server, and that paths of a JSON
   * patch can lead through; returns whether it was missing.
   */
  private static boolean showEmptyStatus(ResourceType type, ObjectNode shown) {
    boolean missing =
        !type.custom() && type.subresources().contains("status") && !shown.has("status");
    if (missing) {
      shown.putObject("status");
    }
    return missing;
  }

  private StoredObject apply(
      Caller caller,
      ResourceType type,
      ObjectKey key,
      String subresource,
      JsonNode patch,
      WriteOptions options) {
    if (!(patch instanceof ObjectNode sent)) {
      throw Failures.badRequest("error decoding YAML: an apply configuration is an object");
    }
    if (options.fieldManager().isEmpty()) {
      throw Failures.invalid(
          "meta.k8s.io",
          "PatchOptions",
          "",
          List.of(FieldError.required("fieldManager", "is required for apply patch")));
    }
    ObjectNode applied = preparation.decodeApplied(type, key, sent.deepCopy());
    ObjectNode metadata = applied.withObjectProperty("metadata");
    if (metadata.path("managedFields").size() > 0) {
      throw Failures.badRequest("metadata.managedFields must be nil");
    }
    metadata.put("name", metadata.path("name").asText(key.name()));
    checkName(type, key.namespace(), key.name(), applied);
    if (type.namespaced()) {
      metadata.put("namespace", key.namespace());
    }
    if (subresource.isEmpty()
        && type.subresources().contains("status")
        && !preparation.rules(type).keepsStatusOnCreate()) {
      applied.remove("status"); // not written, so not owned either
    }
    if (parts.store().get(type.storage(), key).isEmpty()) {
      if (!subresource.isEmpty()) {
        throw Failures.notFound(type.qualified(), key.name());
      }
      ObjectNode merged =
          parts
              .apply()
              .apply(
                  Optional.empty(),
                  applied,
                  creating.writer(caller, type, subresource, options),
                  options.force(),
                  parts.schemas().find(type));
      return creating.store(caller, type, key.namespace(), merged, options, true);
    }
    Change change =
        current ->
            parts
                .apply()
                .apply(
                    Optional.of(current.json()),
                    applied,
                    creating.writer(caller, type, subresource, options),
                    options.force(),
                    parts.schemas().find(type));
    return change(caller, type, key, subresource, change, options, Write.APPLY);
  }

  private StoredObject change(
      Caller caller,
      ResourceType type,
      ObjectKey key,
      String subresource,
      Change change,
      WriteOptions options,
      Write write) {
    ApiException conflict = Failures.modified(type.qualified(), key.name());
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      StoredObject current =
          parts
              .store()
              .get(type.storage(), key)
              .orElseThrow(() -> Failures.notFound(type.qualified(), key.name()));
      ObjectNode next = change.apply(current);
      checkPreconditions(type, current, next);
      Optional<StoredObject> stored =
          settle(caller, type, current, subresource, next, options, write);
      if (stored.isPresent()) {
        return stored.get();
      }
    }
    throw conflict;
  }

  private static void checkPreconditions(ResourceType type, StoredObject current, ObjectNode next) {
    JsonNode metadata = next.path("metadata");
    String uid = metadata.path("uid").asText();
    if (!uid.isEmpty() && !uid.equals(current.uid())) {
      throw Failures.conflict(
          type.qualified(),
          current.key().name(),
          "Precondition failed: UID in precondition: "
              + uid
              + ", UID in object meta: "
              + current.uid());
    }
    String version = metadata.path("resourceVersion").asText();
    if (!version.isEmpty()
        && !version.equals(ANY_VERSION)
        && !version.equals(Long.toString(current.resourceVersion()))) {
      throw Failures.modified(type.qualified(), current.key().name());
    }
  }

  /**
   * Admits, validates, and stores a new version; empty if the object has been changed concurrently.
   */
  private Optional<StoredObject> settle(
      Caller caller,
      ResourceType type,
      StoredObject current,
      String subresource,
      ObjectNode next,
      WriteOptions options,
      Write write) {
    ObjectNode old = current.json();
    ServerOwned.restore(type, preparation.rules(type), subresource, next, old);
    if (!subresource.equals("status")) {
      preparation.applyDefaults(type, next);
    }
    ObjectKey key = current.key();
    AdmissionRequest request =
        new AdmissionRequest(
            Operation.UPDATE,
            type,
            subresource,
            key.namespace(),
            key.name(),
            Optional.of(next),
            Optional.of(old),
            Json.object().put("kind", write.options).put("apiVersion", "meta.k8s.io/v1"),
            caller,
            options.dryRun(),
            options.warnings());
    if (write != Write.APPLY) {
      parts
          .apply()
          .trackUpdate(
              Optional.of(old),
              next,
              creating.writer(caller, type, subresource, options),
              parts.schemas().find(type));
    }
    ObjectNode admitted =
        parts
            .admission()
            .mutate(
                request,
                changed -> {
                  if (!subresource.equals("status")) {
                    preparation.applyDefaults(type, changed);
                  }
                });
    countGeneration(type, admitted, old);
    preparation.validate(type, subresource, admitted, old);
    checkFinalizers(type, admitted, old);
    parts.admission().validate(request.with(admitted));
    if (Differences.none(admitted, old)) {
      return Optional.of(current);
    }
    if (options.dryRun()) {
      admitted
          .withObjectProperty("metadata")
          .put("resourceVersion", Long.toString(current.resourceVersion()));
      return Optional.of(StoredObject.unstored(type.storage(), key, admitted));
    }
    if (Deleting.isOver(admitted)) {
      return deleting.remove(type, current, admitted);
    }
    Optional<StoredObject> stored = parts.store().replace(type.storage(), current, admitted);
    stored.ifPresent(made -> afterWrite.updated(type, made));
    return stored;
  }

  private void countGeneration(ResourceType type, ObjectNode next, ObjectNode old) {
    KindRules rules = preparation.rules(type);
    if (rules.countsGenerations() && !Differences.sameDesire(type, next, old)) {
      next.withObjectProperty("metadata")
          .put("generation", old.path("metadata").path("generation").asLong() + 1);
    }
  }

  private static void checkFinalizers(ResourceType type, ObjectNode next, ObjectNode old) {
    if (!old.path("metadata").has("deletionTimestamp")) {
      return;
    }
    for (JsonNode finalizer : next.path("metadata").path("finalizers")) {
      boolean known = false;
      for (JsonNode before : old.path("metadata").path("finalizers")) {
        known |= before.equals(finalizer);
      }
      if (!known) {
        ObjectPreparation.refuse(
            type,
            next,
            List.of(
                FieldError.forbidden(
                    "metadata.finalizers",
                    "no new finalizers can be added if the object is being deleted, found new"
                        + " finalizers []string{\""
                        + finalizer.asText()
                        + "\"}")));
      }
    }
  }
}
