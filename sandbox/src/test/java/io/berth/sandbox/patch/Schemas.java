package io.berth.sandbox.patch;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.openapi.SchemaCatalog;
import io.berth.sandbox.openapi.SchemaNode;
import io.berth.sandbox.resource.BuiltInResources;
import io.berth.sandbox.resource.ResourceType;
import java.util.List;
import java.util.Optional;

/** The schemas of built-in kinds, which define how values are merged. */
final class Schemas {
  private static final List<ResourceType> RESOURCES = BuiltInResources.all();
  private static final SchemaCatalog CATALOG = new SchemaCatalog(RESOURCES);

  private Schemas() {}

  /** Returns the schema of an object's kind; empty if the kind is not built in. */
  static Optional<SchemaNode> of(JsonNode object) {
    return RESOURCES.stream()
        .filter(
            type ->
                type.apiVersion().equals(object.path("apiVersion").asText())
                    && type.kind().equals(object.path("kind").asText()))
        .findFirst()
        .flatMap(CATALOG::find);
  }
}
