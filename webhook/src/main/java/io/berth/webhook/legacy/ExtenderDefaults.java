package io.berth.webhook.legacy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Defaults of kube-scheduler for extenders that are not Berth's. */
public final class ExtenderDefaults {

  private ExtenderDefaults() {}

  /**
   * Writes what kube-scheduler does into an extender of one of its files: with {@code enableHTTPS}
   * and no authority to trust, it does not check the service's certificate.
   *
   * @return whether the certificate is not checked for that
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
