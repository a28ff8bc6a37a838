package io.berth.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.berth.sandbox.store.Json;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Conversion of short YAML in tests to JSON. */
public final class Yaml {
  private static final YAMLMapper MAPPER = new YAMLMapper();

  private Yaml() {}

  /** Returns the YAML as JSON, for a request body. */
  public static String json(String yaml) {
    try {
      return MAPPER.readTree(yaml).toString();
    } catch (IOException e) {
      throw new UncheckedIOException("not YAML: " + yaml, e);
    }
  }

  /** Returns a tree whose numbers have the same types as JSON read by the server. */
  public static JsonNode tree(String yaml) {
    try {
      return Json.MAPPER.readTree(json(yaml));
    } catch (IOException e) {
      throw new UncheckedIOException("not JSON: " + yaml, e);
    }
  }

  /** Returns the tree of an object. */
  public static ObjectNode object(String yaml) {
    return (ObjectNode) tree(yaml);
  }
}
