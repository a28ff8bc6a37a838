package io.berth.sandbox.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.openapi.SchemaCatalog;
import io.berth.sandbox.resource.BuiltInResources;
import io.berth.sandbox.resource.ResourceRegistry;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.schema.CustomResourceSchema;
import io.berth.sandbox.schema.CustomResourceSchemaCompiler;
import io.berth.sandbox.store.SelectableField;
import io.berth.sandbox.store.Storage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The resources of CustomResourceDefinitions. They are served from when the definition is stored
 * until it is deleted.
 */
public final class CustomResources {
  private final ResourceRegistry registry;
  private final SchemaCatalog catalog;
  private final CustomResourceSchemaCompiler compiler;
  private final Map<String, List<Served>> byDefinition = new ConcurrentHashMap<>();
  private final Map<ResourceType, Served> byType = new ConcurrentHashMap<>();

  /**
   * A served version of a custom resource.
   *
   * @param type the resource type
   * @param schema the compiled schema
   * @param version the entry in spec.versions
   */
  public record Served(ResourceType type, CustomResourceSchema schema, JsonNode version) {}

  /** Creates an instance without custom resources. */
  public CustomResources(
      ResourceRegistry registry, SchemaCatalog catalog, CustomResourceSchemaCompiler compiler) {
    this.registry = registry;
    this.catalog = catalog;
    this.compiler = compiler;
  }

  /** Serves the resources of a stored definition, in place of those of its previous version. */
  synchronized void serve(JsonNode definition) {
    String name = definition.path("metadata").path("name").asText();
    List<Served> next = new ArrayList<>();
    Storage storage = storageOf(definition);
    for (JsonNode version : definition.path("spec").path("versions")) {
      if (version.path("served").asBoolean()) {
        JsonNode schema = version.path("schema").path("openAPIV3Schema");
        ResourceType type = typeOf(definition.path("spec"), version, storage);
        next.add(new Served(type, compiler.compile(schema), version));
      }
    }
    forget(name);
    for (Served served : next) {
      catalog.add(served.type(), served.version().path("schema").path("openAPIV3Schema"));
      byType.put(served.type(), served);
      registry.add(served.type());
    }
    byDefinition.put(name, next);
  }

  /** Stops serving the resources of a definition. */
  synchronized void forget(String definition) {
    List<Served> before = byDefinition.remove(definition);
    if (before != null) {
      List<ResourceType> types = before.stream().map(Served::type).toList();
      registry.remove(types);
      types.forEach(catalog::remove);
      types.forEach(byType::remove);
    }
  }

  /** Returns the storage of a definition's objects. */
  static Storage storageOf(JsonNode definition) {
    JsonNode spec = definition.path("spec");
    List<SelectableField> fields = new ArrayList<>();
    fields.add(SelectableField.of("metadata.name"));
    fields.add(SelectableField.of("metadata.namespace"));
    Set<String> seen = new HashSet<>();
    for (JsonNode version : spec.path("versions")) {
      for (JsonNode field : version.path("selectableFields")) {
        String path = field.path("jsonPath").asText();
        String dotted = path.startsWith(".") ? path.substring(1) : path;
        if (seen.add(dotted)) {
          fields.add(SelectableField.of(dotted));
        }
      }
    }
    return new Storage(
        spec.path("group").asText() + "/" + spec.path("names").path("plural").asText(), fields);
  }

  private static ResourceType typeOf(JsonNode spec, JsonNode version, Storage storage) {
    JsonNode names = spec.path("names");
    Set<String> subresources = new HashSet<>();
    version.path("subresources").fieldNames().forEachRemaining(subresources::add);
    return new ResourceType(
        spec.path("group").asText(),
        version.path("name").asText(),
        names.path("kind").asText(),
        names.path("plural").asText(),
        names.path("singular").asText(),
        spec.path("scope").asText().equals("Namespaced"),
        texts(names.path("shortNames")),
        texts(names.path("categories")),
        Set.copyOf(subresources),
        BuiltInResources.ALL_VERBS,
        storage,
        true);
  }

  private static List<String> texts(JsonNode list) {
    List<String> texts = new ArrayList<>();
    list.forEach(item -> texts.add(item.asText()));
    return List.copyOf(texts);
  }

  /**
   * Returns the served version behind a resource; empty for built-in resources and if the
   * definition has just been deleted.
   */
  public Optional<Served> find(ResourceType type) {
    return Optional.ofNullable(byType.get(type));
  }

  /** Returns whether a resource has a status subresource. */
  static boolean hasStatus(ResourceType type) {
    return type.subresources().contains("status");
  }

  /** Returns the storage version of a definition: the version with {@code storage: true}. */
  static String storageVersion(ObjectNode definition) {
    for (JsonNode version : definition.path("spec").path("versions")) {
      if (version.path("storage").asBoolean()) {
        return version.path("name").asText();
      }
    }
    return "";
  }
}
