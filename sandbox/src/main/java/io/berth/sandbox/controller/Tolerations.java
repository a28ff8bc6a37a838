package io.berth.sandbox.controller;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;

/** The tolerations of pods. */
final class Tolerations {
  private Tolerations() {}

  /** Returns the first toleration of a pod spec that tolerates a taint; empty if none does. */
  static Optional<JsonNode> of(JsonNode spec, JsonNode taint) {
    for (JsonNode toleration : spec.path("tolerations")) {
      String key = toleration.path("key").asText();
      String effect = toleration.path("effect").asText();
      boolean exists = toleration.path("operator").asText().equals("Exists");
      boolean sameKey = (key.isEmpty() && exists) || key.equals(taint.path("key").asText());
      boolean sameValue =
          exists || toleration.path("value").asText().equals(taint.path("value").asText());
      if (sameKey
          && sameValue
          && (effect.isEmpty() || effect.equals(taint.path("effect").asText()))) {
        return Optional.of(toleration);
      }
    }
    return Optional.empty();
  }
}
