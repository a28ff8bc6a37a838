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

/** The shared JSON mapper of the server, and helpers for JSON that is known to be valid. */
public final class Json {

  /** The shared mapper. Decimals are read exactly. Must not be reconfigured. */
  public static final ObjectMapper MAPPER =
      JsonMapper.builder(
              // Thread-local buffer pools are useless with virtual threads, which live for one
              // request.
              JsonFactory.builder()
                  .recyclerPool(JsonRecyclerPools.newConcurrentDequePool())
                  .build())
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(JsonParser.Feature.INCLUDE_SOURCE_IN_LOCATION)
          .build();

  private Json() {}

  /** Returns a new, empty object. */
  public static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  /** Returns a tree as UTF-8. */
  public static byte[] write(JsonNode tree) {
    try {
      return MAPPER.writeValueAsBytes(tree);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException("a JSON tree could not be written", e);
    }
  }

  /** Reads an object that was written by {@link #write}. */
  static ObjectNode read(byte[] bytes) {
    try {
      return (ObjectNode) MAPPER.readTree(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException("a stored object could not be read back", e);
    }
  }
}
