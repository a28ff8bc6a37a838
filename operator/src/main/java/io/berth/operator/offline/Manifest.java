package io.berth.operator.offline;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * One object from a file.
 *
 * @param source the file, as named on the command line; {@code -} for standard input
 * @param object the object as JSON
 */
public record Manifest(String source, JsonNode object) {

  String kind() {
    return object.path("kind").asText("");
  }

  String apiVersion() {
    return object.path("apiVersion").asText("");
  }

  String apiGroup() {
    String version = apiVersion();
    int slash = version.indexOf('/');
    return slash < 0 ? "" : version.substring(0, slash);
  }

  /** The name, or the prefix that the name is generated from. */
  String name() {
    JsonNode metadata = object.path("metadata");
    return metadata.path("name").asText(metadata.path("generateName").asText(""));
  }

  String namespace(String absent) {
    return object.path("metadata").path("namespace").asText(absent);
  }

  /** The object's label in messages: file, kind, namespace and name. */
  public String label() {
    String namespace = namespace("");
    return source
        + ": "
        + kind()
        + "/"
        + (namespace.isEmpty() ? "" : namespace + "/")
        + (name().isEmpty() ? "(no name)" : name());
  }
}
