package io.berth.sandbox.openapi;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * API field properties that the model classes do not contain: required fields, merge keys of lists,
 * atomic maps. Read from the resource {@code schema-traits.txt}.
 */
final class SchemaTraits {
  private final Map<String, Map<String, List<String>>> byDefinition = new HashMap<>();

  private SchemaTraits() {}

  static SchemaTraits load() {
    SchemaTraits traits = new SchemaTraits();
    Map<String, List<String>> fields = Map.of();
    for (String line : read().lines().toList()) {
      if (line.startsWith("\t")) {
        List<String> words = List.of(line.strip().split(" ", -1));
        fields.put(words.getFirst(), words.subList(1, words.size()));
      } else if (!line.startsWith("#")) {
        fields = traits.byDefinition.computeIfAbsent(line, name -> new HashMap<>());
      }
    }
    return traits;
  }

  private static String read() {
    try (InputStream in = SchemaTraits.class.getResourceAsStream("schema-traits.txt")) {
      if (in == null) {
        throw new IllegalStateException("schema-traits.txt is missing from the sandbox's jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("schema-traits.txt could not be read", e);
    }
  }

  /** Adds what is known of a definition and its fields. */
  void addTo(String definition, ObjectNode schema) {
    byDefinition
        .getOrDefault(definition, Map.of())
        .forEach(
            (field, words) -> {
              if (field.equals("*")) {
                words.forEach(word -> add(schema, word));
              } else if (schema.path("properties").path(field) instanceof ObjectNode property) {
                words.forEach(
                    word -> {
                      if (word.equals("required")) {
                        schema.withArray("required").add(field);
                      } else {
                        add(property, word);
                      }
                    });
              }
            });
  }

  private static void add(ObjectNode schema, String word) {
    int equals = word.indexOf('=');
    String value = word.substring(equals + 1);
    switch (word.substring(0, equals)) {
      case "list" -> schema.put("x-kubernetes-list-type", value);
      case "map" -> schema.put("x-kubernetes-map-type", value);
      case "patch" -> schema.put("x-kubernetes-patch-strategy", value);
      case "mergeKey" -> schema.put("x-kubernetes-patch-merge-key", value);
      case "default" -> schema.put("default", value);
      case "keys" -> {
        ArrayNode keys = schema.putArray("x-kubernetes-list-map-keys");
        for (String key : value.split(",", -1)) {
          keys.add(key);
        }
      }
      default -> throw new IllegalStateException("schema-traits.txt: unknown trait " + word);
    }
  }
}
