package io.berth.sandbox.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Adds the default tolerations for not-ready and unreachable nodes, which expire after five
 * minutes.
 */
final class DefaultTolerations {
  private static final int SECONDS = 300;

  private DefaultTolerations() {}

  static void add(ObjectNode spec) {
    addOne(spec, "node.kubernetes.io/not-ready");
    addOne(spec, "node.kubernetes.io/unreachable");
  }

  private static void addOne(ObjectNode spec, String taint) {
    for (JsonNode toleration : spec.path("tolerations")) {
      String key = toleration.path("key").asText("");
      String effect = toleration.path("effect").asText("");
      if ((key.isEmpty() || key.equals(taint))
          && (effect.isEmpty() || effect.equals("NoExecute"))) {
        return;
      }
    }
    ArrayNode tolerations = spec.withArray("tolerations");
    tolerations
        .addObject()
        .put("effect", "NoExecute")
        .put("key", taint)
        .put("operator", "Exists")
        .put("tolerationSeconds", SECONDS);
  }
}
