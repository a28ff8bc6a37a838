package io.berth.sandbox.http;

import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.protobuf.ProtobufBodies;
import io.berth.sandbox.protobuf.ProtobufObjects;
import io.berth.sandbox.resource.ResourceType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The representation requested by a client's Accept header: plain JSON, protobuf, a Table, metadata
 * only, or aggregated discovery.
 *
 * @param form the requested representation
 * @param group the API group of the form, {@code meta.k8s.io} or {@code apidiscovery.k8s.io}; empty
 *     for plain JSON and protobuf
 * @param version the API version of the form; empty for plain JSON and protobuf
 */
record Accepted(Form form, String group, String version) {

  enum Form {
    OBJECT,
    PROTOBUF,
    TABLE,
    METADATA,
    METADATA_LIST,
    DISCOVERY
  }

  private static final Accepted PLAIN = new Accepted(Form.OBJECT, "", "");
  private static final Accepted PROTOBUF = new Accepted(Form.PROTOBUF, "", "");
  private static final List<String> JSON_TYPES =
      List.of("application/json", "application/*", "*/*");

  /**
   * Returns the first supported media type of the Accept header other than protobuf, or plain JSON
   * if the header is missing.
   */
  static Accepted of(Request request) {
    return of(request, false);
  }

  /** Returns the same for objects of a type: built-in kinds are also available as protobuf. */
  static Accepted of(Request request, ResourceType type) {
    return of(request, !type.custom() && ProtobufObjects.knows(type.apiVersion(), type.kind()));
  }

  /** Returns whether protobuf is the first supported media type for built-in kinds. */
  static boolean prefersProtobuf(Request request) {
    return request.header("Accept").startsWith(ProtobufBodies.MEDIA_TYPE)
        && of(request, true).form() == Form.PROTOBUF;
  }

  private static Accepted of(Request request, boolean protobuf) {
    String header = request.header("Accept");
    if (header.isBlank()) {
      return PLAIN;
    }
    for (String range : header.split(",", -1)) {
      String[] parts = range.split(";", -1);
      Map<String, String> parameters = new HashMap<>();
      for (int i = 1; i < parts.length; i++) {
        String[] pair = parts[i].strip().split("=", 2);
        parameters.put(pair[0], pair.length > 1 ? pair[1] : "");
      }
      if (protobuf
          && parts[0].strip().equals(ProtobufBodies.MEDIA_TYPE)
          && !parameters.containsKey("as")) {
        return PROTOBUF;
      }
      if (JSON_TYPES.contains(parts[0].strip())) {
        Accepted accepted = form(parameters);
        if (accepted != null) {
          return accepted;
        }
      }
    }
    throw Failures.notAcceptable("application/json");
  }

  private static @Nullable Accepted form(Map<String, String> parameters) {
    String group = parameters.getOrDefault("g", "");
    String version = parameters.getOrDefault("v", "");
    return switch (parameters.getOrDefault("as", "")) {
      case "" -> PLAIN;
      case "Table" -> new Accepted(Form.TABLE, group, version);
      case "PartialObjectMetadata" -> new Accepted(Form.METADATA, group, version);
      case "PartialObjectMetadataList" -> new Accepted(Form.METADATA_LIST, group, version);
      case "APIGroupDiscoveryList" -> new Accepted(Form.DISCOVERY, group, version);
      default -> null;
    };
  }
}
