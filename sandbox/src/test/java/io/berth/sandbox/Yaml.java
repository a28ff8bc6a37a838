package io.berth.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.berth.sandbox.store.Json;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Objects that tests write in short YAML. */
public final class Yaml {
  private static final YAMLMapper MAPPER = new YAMLMapper();

  private Yaml() {}

  /** The same as JSON, for a request's body. */
  public static String json(String yaml) {
    try {
      return MAPPER.readTree(yaml).toString();
    } catch (IOException e) {
      throw new UncheckedIOException("not YAML: " + yaml, e);
    }
  }

  /** A tree whose numbers have the types that the server reads from JSON. */
  public static JsonNode tree(String yaml) {
    try {
      return Json.MAPPER.readTree(json(yaml));
    } catch (IOException e) {
      throw new UncheckedIOException("not JSON: " + yaml, e);
    }
  }

  /** The same for an object. */
  public static ObjectNode object(String yaml) {
    return (ObjectNode) tree(yaml);
  }
}
