package io.berth.operator.query;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.operator.http.QueryParameters;
import io.berth.serving.http.RequestHead;
import java.util.Optional;

/** The part of each object that the rows of a table have. */
enum TableFormat {
  NONE,
  METADATA,
  OBJECT;

  /**
   * Returns the format that the client asks for; empty if it asks for objects and no table.
   *
   * @throws ApiException with 400 if {@code includeObject} is not valid
   */
  static Optional<TableFormat> of(RequestHead head, QueryParameters query) throws ApiException {
    if (head.header("Accept").filter(accept -> accept.contains("as=Table")).isEmpty()) {
      return Optional.empty();
    }
    String include = query.first("includeObject");
    return Optional.of(
        switch (include) {
          case "", "Metadata" -> METADATA;
          case "None" -> NONE;
          case "Object" -> OBJECT;
          default ->
              throw new ApiException(
                  400,
                  "includeObject \"%s\" is not valid; use None, Metadata, or Object"
                      .formatted(include));
        });
  }

  /** Writes the part of an object into its row. */
  void write(ObjectNode row, JsonNode object) {
    switch (this) {
      case NONE -> row.putNull("object");
      case OBJECT -> row.set("object", object.deepCopy());
      case METADATA -> {
        ObjectNode partial =
            JsonNodeFactory.instance
                .objectNode()
                .put("kind", "PartialObjectMetadata")
                .put("apiVersion", "meta.k8s.io/v1");
        partial.set("metadata", object.path("metadata").deepCopy());
        row.set("object", partial);
      }
    }
  }
}
