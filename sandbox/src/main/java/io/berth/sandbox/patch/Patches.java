package io.berth.sandbox.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.openapi.SchemaNode;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * All patch types, including server-side apply. The schema of a kind defines how values are merged.
 */
public final class Patches implements PatchApplier, ServerSideApply {
  private static final Set<String> OF_STATUS = Set.of("apiVersion", "kind", "metadata", "status");

  private final Map<String, Known> byKind = new ConcurrentHashMap<>();

  /** A schema and the merge type derived from it. */
  private record Known(SchemaNode schema, MergeType type) {}

  @Override
  public ObjectNode apply(
      PatchType type, ObjectNode current, JsonNode patch, Optional<SchemaNode> schema) {
    return switch (type) {
      case JSON -> JsonPatch.apply(current, patch);
      case MERGE -> MergePatch.apply(current, patch).deepCopy();
      case STRATEGIC ->
          StrategicMergePatch.apply(current, patch, typeOf(current, schema)).deepCopy();
      case APPLY -> throw new IllegalArgumentException("an apply patch needs ServerSideApply");
    };
  }

  /**
   * {@inheritDoc}
   *
   * @throws ApiException also 400 if the configuration has managedFields
   */
  @Override
  public ObjectNode apply(
      Optional<ObjectNode> live,
      ObjectNode applied,
      FieldWriter writer,
      boolean force,
      Optional<SchemaNode> schema) {
    ObjectNode config = applied.deepCopy();
    if (writer.subresource().equals("status")) {
      config.retain(OF_STATUS);
    }
    FieldOwnership ownership = new FieldOwnership(typeOf(applied, schema), writer);
    return ownership.apply(live.orElse(null), config, force).deepCopy();
  }

  @Override
  public void trackUpdate(
      Optional<ObjectNode> live,
      ObjectNode updated,
      FieldWriter writer,
      Optional<SchemaNode> schema) {
    FieldOwnership ownership = new FieldOwnership(typeOf(updated, schema), writer);
    Optional<ArrayNode> managed = ownership.update(live.orElse(null), updated);
    ObjectNode metadata = updated.withObject("metadata");
    if (managed.isPresent()) {
      metadata.set("managedFields", managed.get());
    } else {
      metadata.remove("managedFields");
    }
  }

  private MergeType typeOf(ObjectNode object, Optional<SchemaNode> schema) {
    if (schema.isEmpty()) {
      return MergeType.DEDUCED;
    }
    String kind = object.path("apiVersion").asText() + "/" + object.path("kind").asText();
    Known known = byKind.get(kind);
    if (known == null || !known.schema.equals(schema.get())) {
      known = new Known(schema.get(), new SchemaMergeType(schema.get()));
      byKind.put(kind, known);
    }
    return known.type;
  }
}
