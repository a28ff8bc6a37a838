package io.berth.sandbox.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.berth.sandbox.store.Json;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Trees written as YAML in a test. */
final class Yaml {
  private Yaml() {}

  static ObjectNode object(String yaml) {
    return (ObjectNode) tree(yaml);
  }

  /** Read twice, so that numbers are of the types the server reads from JSON. */
  static JsonNode tree(String yaml) {
    try {
      return Json.MAPPER.readTree(new YAMLMapper().readTree(yaml).toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
