package io.berth.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.berth.sandbox.auth.Caller;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.rest.ClusterApi;
import io.berth.sandbox.rest.WriteOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/**
 * Creates what every cluster has from the start: namespaces, priority classes, roles; listed in
 * {@code bootstrap.yaml}.
 */
final class Bootstrap {
  private Bootstrap() {}

  static void create(ClusterApi api) {
    Caller caller = Caller.controlPlane("bootstrap");
    try (InputStream in = Bootstrap.class.getResourceAsStream("bootstrap.yaml")) {
      if (in == null) {
        throw new IllegalStateException("bootstrap.yaml is missing from the sandbox's jar");
      }
      var documents = new YAMLMapper().readerFor(JsonNode.class).<JsonNode>readValues(in);
      while (documents.hasNext()) {
        ObjectNode object = (ObjectNode) documents.next();
        ResourceType type =
            api.registry()
                .ofKind(object.path("apiVersion").asText(), object.path("kind").asText())
                .orElseThrow(
                    () ->
                        new IllegalStateException(
                            "bootstrap.yaml names an unknown kind: " + object));
        api.create(
            caller,
            type,
            object.path("metadata").path("namespace").asText(),
            object,
            WriteOptions.plain());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("bootstrap.yaml could not be read", e);
    }
  }
}
