package io.berth.sandbox;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;

/** Objects that tests write in short YAML. */
final class Yaml {
  private static final YAMLMapper MAPPER = new YAMLMapper();

  private Yaml() {}

  static JsonNode tree(String yaml) {
    try {
      return MAPPER.readTree(yaml);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not YAML: " + yaml, e);
    }
  }

  /** The same as JSON, for a request's body. */
  static String json(String yaml) {
    return tree(yaml).toString();
  }
}
