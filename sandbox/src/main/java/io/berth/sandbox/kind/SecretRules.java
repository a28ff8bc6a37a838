package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** The rules of Secrets: the type defaults to Opaque, and stringData is merged into data. */
final class SecretRules implements KindRules {

  @Override
  public void applyDefaults(ObjectNode secret) {
    Defaults.text(secret, "type", "Opaque");
    JsonNode texts = secret.path("stringData");
    if (texts.isObject()) {
      ObjectNode data = secret.withObjectProperty("data");
      texts
          .properties()
          .forEach(
              entry ->
                  data.put(
                      entry.getKey(),
                      Base64.getEncoder()
                          .encodeToString(
                              entry.getValue().asText().getBytes(StandardCharsets.UTF_8))));
      secret.remove("stringData");
    }
  }
}
