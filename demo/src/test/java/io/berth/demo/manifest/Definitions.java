package io.berth.demo.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.berth.sandbox.failure.FieldError;
import io.berth.sandbox.schema.CustomResourceSchema;
import io.berth.sandbox.schema.StructuralSchemaCompiler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The CustomResourceDefinitions in the source tree, and their validation of manifests. */
final class Definitions {

  private static final String SCHEMA = "/spec/versions/0/schema/openAPIV3Schema";
  private static final YAMLMapper YAML = new YAMLMapper();

  private final Map<String, JsonNode> schemas = new HashMap<>();

  private Definitions() {}

  static Definitions read() throws IOException {
    Definitions definitions = new Definitions();
    for (Path file : yamlFiles(Path.of("..", "crds"))) {
      JsonNode definition = YAML.readTree(file.toFile());
      definitions.schemas.put(definition.at("/spec/names/kind").asText(), definition.at(SCHEMA));
    }
    return definitions;
  }

  Map<String, JsonNode> schemas() {
    return Map.copyOf(schemas);
  }

  boolean knows(JsonNode manifest) {
    return schemas.containsKey(manifest.path("kind").asText());
  }

  /** Returns the errors of a manifest as {@code field: message}, unknown fields first. */
  List<String> problems(JsonNode manifest) {
    CustomResourceSchema schema =
        new StructuralSchemaCompiler().compile(schemas.get(manifest.path("kind").asText()));
    ObjectNode object = manifest.deepCopy();
    List<String> problems = new ArrayList<>();
    schema.prune(object).forEach(field -> problems.add(field + ": unknown field"));
    schema.applyDefaults(object);
    for (FieldError error : schema.validate(object, Optional.empty())) {
      problems.add(error.field() + ": " + error.message());
    }
    return problems;
  }

  static List<Path> yamlFiles(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList();
    }
  }

  static List<JsonNode> manifests(Path file) throws IOException {
    try (var documents = YAML.readerFor(JsonNode.class).<JsonNode>readValues(file.toFile())) {
      return documents.readAll();
    }
  }

  static JsonNode manifest(String text) throws IOException {
    return YAML.readTree(text);
  }
}
