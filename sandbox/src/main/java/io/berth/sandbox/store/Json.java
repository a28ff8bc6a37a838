package io.berth.sandbox.store;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * The one JSON mapper of the server, and reading and writing that cannot fail on what the store
 * holds.
 */
public final class Json {

  /** Reads and writes trees; keeps decimals exact. Treat as immutable. */
  public static final ObjectMapper MAPPER =
      JsonMapper.builder(
              // Buffers per thread are lost on virtual threads, which live for one request.
              JsonFactory.builder()
                  .recyclerPool(JsonRecyclerPools.newConcurrentDequePool())
                  .build())
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(JsonParser.Feature.INCLUDE_SOURCE_IN_LOCATION)
          .build();

  private Json() {}

  /** A new, empty object. */
  public static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  /** A tree as UTF-8. */
  public static byte[] write(JsonNode tree) {
    try {
      return MAPPER.writeValueAsBytes(tree);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException("a JSON tree could not be written", e);
    }
  }

  /** Reads an object that this server wrote itself. */
  static ObjectNode read(byte[] bytes) {
    try {
      return (ObjectNode) MAPPER.readTree(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException("a stored object could not be read back", e);
    }
  }
}
