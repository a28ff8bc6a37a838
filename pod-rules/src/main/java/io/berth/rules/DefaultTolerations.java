package io.berth.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The tolerations for not-ready and unreachable nodes, which the API server adds to pods that have
 * none. They expire after five minutes.
 */
public final class DefaultTolerations {
  private static final int SECONDS = 300;

  private DefaultTolerations() {}

  /** Adds them to the spec of a pod, as far as it does not tolerate these taints already. */
  public static void add(ObjectNode spec) {
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
