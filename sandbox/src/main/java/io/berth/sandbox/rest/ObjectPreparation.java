package io.berth.sandbox.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.failure.FieldError;
import io.berth.sandbox.kind.KindRules;
import io.berth.sandbox.kind.MetadataRules;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.ObjectKey;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The steps that prepare an object for storing: decoding, defaulting, and validation. */
final class ObjectPreparation {
  private final RestParts parts;

  ObjectPreparation(RestParts parts) {
    this.parts = parts;
  }

  KindRules rules(ResourceType type) {
    return type.custom() ? CustomRules.of(type) : parts.kinds().apply(type);
  }

  String now() {
    return parts.clock().instant().truncatedTo(ChronoUnit.SECONDS).toString();
  }

  /**
   * Checks apiVersion and kind, drops unknown fields and reports them according to fieldValidation,
   * and converts the object to its stored version.
   */
  ObjectNode decode(ResourceType type, ObjectNode sent, WriteOptions options) {
    report(type, dropUnknown(type, sent), options);
    return Views.toStored(type, sent);
  }

  /** Decodes an apply configuration, in which unknown fields are errors. */
  ObjectNode decodeApplied(ResourceType type, ObjectKey key, ObjectNode sent) {
    List<String> unknown = dropUnknown(type, sent);
    if (!unknown.isEmpty()) {
      throw Failures.untypedPatch(
          "failed to create typed patch object (%s; %s, Kind=%s): .%s: field not declared in schema"
              .formatted(key, type.apiVersion(), type.kind(), unknown.getFirst()));
    }
    return Views.toStored(type, sent);
  }

  private List<String> dropUnknown(ResourceType type, ObjectNode sent) {
    checkKind(type, sent);
    List<String> unknown = new ArrayList<>();
    if (type.custom()) {
      unknown.addAll(parts.fieldCheck().cleanMetadata(type, sent));
      parts
          .customResources()
          .find(type)
          .ifPresent(served -> unknown.addAll(served.schema().prune(sent)));
    } else {
      unknown.addAll(parts.fieldCheck().clean(type, sent));
    }
    return unknown;
  }

  private static void checkKind(ResourceType type, ObjectNode sent) {
    String kind = sent.path("kind").asText();
    String apiVersion = sent.path("apiVersion").asText();
    if (kind.isEmpty()) {
      sent.put("kind", type.kind());
    } else if (!kind.equals(type.kind())) {
      throw wrongKind(type, apiVersion, kind);
    }
    if (apiVersion.isEmpty()) {
      sent.put("apiVersion", type.apiVersion());
    } else if (!apiVersion.equals(type.apiVersion())) {
      throw wrongKind(type, apiVersion, kind);
    }
    if (!(sent.path("metadata") instanceof ObjectNode)) {
      sent.putObject("metadata");
    }
  }

  private static ApiException wrongKind(ResourceType type, String apiVersion, String kind) {
    return Failures.badRequest(
        String.format(
            "the API version in the data (%s) and kind (%s) do not match the expected API version"
                + " (%s) and kind (%s)",
            apiVersion, kind, type.apiVersion(), type.kind()));
  }

  private static void report(ResourceType type, List<String> unknown, WriteOptions options) {
    List<String> problems = new ArrayList<>();
    unknown.forEach(path -> problems.add("unknown field \"" + path + "\""));
    options.duplicates().get().forEach(path -> problems.add("duplicate field \"" + path + "\""));
    if (problems.isEmpty()) {
      return;
    }
    switch (options.fieldValidation()) {
      case IGNORE -> {}
      case WARN -> problems.forEach(options.warnings());
      case STRICT ->
          throw Failures.badRequest(
              String.format(
                  "%s in version \"%s\" cannot be handled as a %s: strict decoding error: %s",
                  type.kind(), type.version(), type.kind(), String.join(", ", problems)));
    }
  }

  /** Applies the defaults of the kind and, for custom resources, of the schema. */
  void applyDefaults(ResourceType type, ObjectNode object) {
    rules(type).applyDefaults(object);
    if (type.custom()) {
      parts.customResources().find(type).ifPresent(served -> served.schema().applyDefaults(object));
    }
  }

  /** Rejects an invalid object with 422. */
  void validate(
      ResourceType type, String subresource, ObjectNode object, @Nullable ObjectNode old) {
    KindRules rules = rules(type);
    List<FieldError> errors =
        new ArrayList<>(MetadataRules.validate(object, old, type, rules.nameFormat()));
    errors.addAll(
        old == null
            ? rules.validateCreate(object)
            : rules.validateUpdate(subresource, object, old));
    if (type.custom()) {
      parts
          .customResources()
          .find(type)
          .ifPresent(
              served -> errors.addAll(served.schema().validate(object, Optional.ofNullable(old))));
    }
    refuse(type, object, errors);
  }

  static void refuse(ResourceType type, ObjectNode object, List<FieldError> errors) {
    if (!errors.isEmpty()) {
      JsonNode metadata = object.path("metadata");
      String name = metadata.path("name").asText(metadata.path("generateName").asText());
      throw Failures.invalid(type.group(), type.kind(), name, errors);
    }
  }
}
