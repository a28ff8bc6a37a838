package io.berth.sandbox.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.admission.AdmissionRequest;
import io.berth.sandbox.admission.Operation;
import io.berth.sandbox.auth.Caller;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.failure.FieldError;
import io.berth.sandbox.kind.KindRules;
import io.berth.sandbox.patch.FieldWriter;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** The create operation. */
final class Creating {
  private static final String NAME_LETTERS = "bcdfghjklmnpqrstvwxz2456789";
  private static final int SUFFIX = 5;
  private static final int LONGEST_BASE = 63 - SUFFIX;
  private static final int NAME_ATTEMPTS = 8;

  private final RestParts parts;
  private final ObjectPreparation preparation;
  private final AfterWrite afterWrite;

  Creating(RestParts parts, ObjectPreparation preparation, AfterWrite afterWrite) {
    this.parts = parts;
    this.preparation = preparation;
    this.afterWrite = afterWrite;
  }

  StoredObject create(
      Caller caller,
      ResourceType type,
      @Nullable String namespace,
      ObjectNode sent,
      WriteOptions options) {
    ObjectNode object = preparation.decode(type, sent, options);
    return store(caller, type, namespace, object, options, false);
  }

  /** Creates a decoded object. If it comes from an apply, its managedFields are already set. */
  StoredObject store(
      Caller caller,
      ResourceType type,
      @Nullable String namespace,
      ObjectNode decoded,
      WriteOptions options,
      boolean applied) {
    placeInNamespace(type, namespace, decoded);
    prepare(type, decoded);
    String inNamespace = decoded.path("metadata").path("namespace").asText();
    boolean generated = nameIsGenerated(type, decoded);
    for (int attempt = 1; ; attempt++) {
      ObjectNode object = generated ? decoded.deepCopy() : decoded;
      if (generated) {
        generateName(object);
      }
      ObjectKey key = type.key(inNamespace, object.path("metadata").path("name").asText());
      Optional<StoredObject> stored = admitAndStore(caller, type, key, object, options, applied);
      if (stored.isPresent()) {
        return stored.get();
      }
      if (!generated || attempt == NAME_ATTEMPTS) {
        throw Failures.alreadyExists(type.qualified(), key.name());
      }
    }
  }

  private Optional<StoredObject> admitAndStore(
      Caller caller,
      ResourceType type,
      ObjectKey key,
      ObjectNode object,
      WriteOptions options,
      boolean applied) {
    preparation.applyDefaults(type, object);
    AdmissionRequest request =
        new AdmissionRequest(
            Operation.CREATE,
            type,
            "",
            key.namespace(),
            key.name(),
            Optional.of(object),
            Optional.empty(),
            Json.object().put("kind", "CreateOptions").put("apiVersion", "meta.k8s.io/v1"),
            caller,
            options.dryRun(),
            options.warnings());
    if (!applied) {
      track(caller, type, object, options);
    }
    ObjectNode admitted =
        parts.admission().mutate(request, changed -> preparation.applyDefaults(type, changed));
    preparation.rules(type).prepareToStore(admitted);
    preparation.validate(type, "", admitted, null);
    parts.admission().validate(request.with(admitted));
    checkNamespace(type, key.namespace());
    if (options.dryRun()) {
      return parts.store().get(type.storage(), key).isPresent()
          ? Optional.empty()
          : Optional.of(StoredObject.unstored(type.storage(), key, admitted));
    }
    Optional<StoredObject> stored = parts.store().create(type.storage(), key, admitted);
    stored.ifPresent(made -> afterWrite.created(type, made));
    return stored;
  }

  /**
   * Records ownership of the fields set by the client and by defaults. A status that the server
   * sets has no owner.
   */
  private void track(Caller caller, ResourceType type, ObjectNode object, WriteOptions options) {
    boolean ownStatus =
        type.subresources().contains("status") && !preparation.rules(type).keepsStatusOnCreate();
    JsonNode status = ownStatus ? object.remove("status") : null;
    parts
        .apply()
        .trackUpdate(
            Optional.empty(),
            object,
            writer(caller, type, "", options),
            parts.schemas().find(type));
    if (status != null) {
      object.set("status", status);
    }
  }

  FieldWriter writer(Caller caller, ResourceType type, String subresource, WriteOptions options) {
    String manager = options.fieldManager().isEmpty() ? caller.agent() : options.fieldManager();
    return new FieldWriter(manager, type.apiVersion(), subresource, parts.clock().instant());
  }

  private static void placeInNamespace(
      ResourceType type, @Nullable String namespace, ObjectNode object) {
    ObjectNode metadata = object.withObjectProperty("metadata");
    String own = metadata.path("namespace").asText();
    if (!type.namespaced()) {
      metadata.remove("namespace");
      return;
    }
    String asked = namespace == null ? "" : namespace;
    if (!own.isEmpty() && !own.equals(asked)) {
      throw Failures.badRequest(
          "the namespace of the provided object does not match the namespace sent on the request");
    }
    metadata.put("namespace", asked);
  }

  private void checkNamespace(ResourceType type, String namespace) {
    if (!type.namespaced()) {
      return;
    }
    ResourceType namespaces = parts.registry().builtIn("", "namespaces");
    StoredObject found =
        parts
            .store()
            .get(namespaces.storage(), ObjectKey.clusterScoped(namespace))
            .orElseThrow(() -> Failures.notFound("namespaces", namespace));
    if (found.json().path("metadata").has("deletionTimestamp")) {
      throw Failures.forbidden(
          type.qualified(),
          "",
          "unable to create new content in namespace "
              + namespace
              + " because it is being terminated");
    }
  }

  private void prepare(ResourceType type, ObjectNode object) {
    ObjectNode metadata = object.withObjectProperty("metadata");
    if (!metadata.path("resourceVersion").asText().isEmpty()) {
      throw Failures.badRequest("resourceVersion should not be set on objects to be created");
    }
    metadata.remove(
        List.of(
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "selfLink",
            "generation",
            "resourceVersion"));
    metadata.put("uid", uid());
    metadata.put("creationTimestamp", preparation.now());
    KindRules rules = preparation.rules(type);
    if (rules.countsGenerations()) {
      metadata.put("generation", 1);
    }
    if (!rules.keepsStatusOnCreate() && type.subresources().contains("status")) {
      object.remove("status");
    }
    rules.prepareForCreate(object);
  }

  /**
   * Returns a version 4 UUID. It does not have to be unpredictable, so no secure random source is
   * used.
   */
  private static String uid() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    long version = (random.nextLong() & ~0xF000L) | 0x4000L;
    long variant = (random.nextLong() >>> 2) | Long.MIN_VALUE;
    return new UUID(version, variant).toString();
  }

  private static boolean nameIsGenerated(ResourceType type, ObjectNode object) {
    ObjectNode metadata = object.withObjectProperty("metadata");
    if (!metadata.path("name").asText().isEmpty()) {
      return false;
    }
    if (metadata.path("generateName").asText().isEmpty()) {
      ObjectPreparation.refuse(
          type,
          object,
          List.of(FieldError.required("metadata.name", "name or generateName is required")));
    }
    return true;
  }

  private static void generateName(ObjectNode object) {
    ObjectNode metadata = object.withObjectProperty("metadata");
    String base = metadata.path("generateName").asText();
    StringBuilder name =
        new StringBuilder(base.substring(0, Math.min(base.length(), LONGEST_BASE)));
    for (int i = 0; i < SUFFIX; i++) {
      name.append(NAME_LETTERS.charAt(ThreadLocalRandom.current().nextInt(NAME_LETTERS.length())));
    }
    metadata.put("name", name.toString());
  }
}
