package io.berth.sandbox.http;

import io.berth.sandbox.failure.Failures;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The representation requested by a client's Accept header: plain JSON, a Table, metadata only, or
 * aggregated discovery.
 *
 * @param form the requested representation
 * @param group the API group of the form, {@code meta.k8s.io} or {@code apidiscovery.k8s.io}; empty
 *     for plain JSON
 * @param version the API version of the form; empty for plain JSON
 */
record Accepted(Form form, String group, String version) {

  enum Form {
    OBJECT,
    TABLE,
    METADATA,
    METADATA_LIST,
    DISCOVERY
  }

  private static final Accepted PLAIN = new Accepted(Form.OBJECT, "", "");
  private static final List<String> JSON_TYPES =
      List.of("application/json", "application/*", "*/*");

  /**
   * Returns the first supported media type of the Accept header, or plain JSON if the header is
   * missing.
   */
  static Accepted of(Request request) {
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
