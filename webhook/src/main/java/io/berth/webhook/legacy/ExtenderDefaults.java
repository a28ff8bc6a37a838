package io.berth.webhook.legacy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The defaults of kube-scheduler for extenders that differ from Berth's. */
public final class ExtenderDefaults {

  private ExtenderDefaults() {}

  /**
   * Makes a default of kube-scheduler explicit in an extender from one of its files: with {@code
   * enableHTTPS} and without a CA certificate, kube-scheduler does not verify the extender's
   * certificate.
   *
   * @return whether the verification was disabled for that reason
   */
  public static boolean write(ObjectNode extender) {
    boolean secure = extender.path("enableHTTPS").asBoolean(false);
    JsonNode tls = extender.path("tlsConfig");
    boolean authority = isGiven(tls.path("caFile")) || isGiven(tls.path("caData"));
    boolean overTls = extender.path("urlPrefix").asText("").startsWith("https://");
    if (!secure || authority || !overTls || tls.path("insecure").asBoolean(false)) {
      return false;
    }
    ObjectNode written = tls instanceof ObjectNode given ? given : extender.putObject("tlsConfig");
    written.put("insecure", true);
    return true;
  }

  private static boolean isGiven(JsonNode text) {
    return !text.asText("").isEmpty();
  }
}
