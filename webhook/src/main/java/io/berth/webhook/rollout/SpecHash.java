package io.berth.webhook.rollout;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * Hashes of the part of a spec that is rolled out: without {@code rollout}, and of policies without
 * {@code default} and {@code quotaGuard}, which also concern pods of other policies, and without
 * the certificates and keys of extenders, which stored revisions do not contain.
 */
public final class SpecHash {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> NOT_ROLLED_OUT = List.of("rollout", "default", "quotaGuard");
  private static final List<String> NOT_STORED = List.of("certData", "keyData");
  private static final int BYTES = 5;

  private SpecHash() {}

  /** Returns the hash of a spec, 10 hexadecimal digits. */
  public static String of(Object spec) {
    ObjectNode tree = JSON.valueToTree(spec);
    tree.remove(NOT_ROLLED_OUT);
    for (JsonNode extender : tree.path("extenders")) {
      if (extender.path("tlsConfig") instanceof ObjectNode tls) {
        tls.remove(NOT_STORED);
      }
    }
    StringBuilder text = new StringBuilder();
    write(tree, text);
    byte[] hash = Sha256.of(text.toString());
    return HexFormat.of().formatHex(hash, 0, BYTES);
  }

  /** Writes a value with sorted fields and without those that are null. */
  private static void write(JsonNode value, StringBuilder text) {
    switch (value) {
      case ObjectNode object -> {
        text.append('{');
        object.properties().stream()
            .filter(field -> !field.getValue().isNull())
            .sorted(Map.Entry.comparingByKey())
            .forEach(
                field -> {
                  text.append(field.getKey()).append(':');
                  write(field.getValue(), text);
                  text.append(',');
                });
        text.append('}');
      }
      case ArrayNode array -> {
        text.append('[');
        array.forEach(
            element -> {
              write(element, text);
              text.append(',');
            });
        text.append(']');
      }
      default -> text.append(value);
    }
  }
}
