package io.berth.sandbox.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.openapi.SchemaNode;
import java.util.Optional;
import java.util.Set;

/**
 * All the ways to patch. How built-in kinds are merged stands in this package's own table; other
 * kinds say it in their schemas.
 */
public final class Patches implements PatchApplier, ServerSideApply {
  private static final Set<String> OF_STATUS = Set.of("apiVersion", "kind", "metadata", "status");

  private final BuiltInMergeTypes builtIns = BuiltInMergeTypes.load();

  @Override
  public ObjectNode apply(
      PatchType type, ObjectNode current, JsonNode patch, Optional<SchemaNode> schema) {
    return switch (type) {
      case JSON -> JsonPatch.apply(current, patch);
      case MERGE -> MergePatch.apply(current, patch).deepCopy();
      case STRATEGIC ->
          StrategicMergePatch.apply(current, patch, typeOf(current, schema)).deepCopy();
      case APPLY -> throw new IllegalArgumentException("an apply needs the ServerSideApply");
    };
  }

  /**
   * {@inheritDoc}
   *
   * @throws ApiException also 400 where the configuration carries managedFields
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
    FieldManager manager = new FieldManager(typeOf(applied, schema), writer);
    return manager.apply(live.orElse(null), config, force).deepCopy();
  }

  @Override
  public void trackUpdate(
      Optional<ObjectNode> live,
      ObjectNode updated,
      FieldWriter writer,
      Optional<SchemaNode> schema) {
    FieldManager manager = new FieldManager(typeOf(updated, schema), writer);
    Optional<ArrayNode> managed = manager.update(live.orElse(null), updated);
    ObjectNode metadata = updated.withObject("metadata");
    if (managed.isPresent()) {
      metadata.set("managedFields", managed.get());
    } else {
      metadata.remove("managedFields");
    }
  }

  private MergeType typeOf(ObjectNode object, Optional<SchemaNode> schema) {
    Optional<MergeType> builtIn =
        builtIns.find(object.path("apiVersion").asText(), object.path("kind").asText());
    return builtIn
        .or(() -> schema.map(node -> SchemaMergeType.ofKind(node, builtIns.objectMeta())))
        .orElseGet(builtIns::anyObject);
  }
}
