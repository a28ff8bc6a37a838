package io.berth.webhook.legacy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.policy.Extender;
import io.berth.webhook.legacy.LegacyFields.FieldType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/** Reads the extenders of a legacy policy. */
final class LegacyExtenders {
  private static final JsonMapper JSON = new JsonMapper();

  private static final Map<String, FieldType> FIELDS =
      Map.ofEntries(
          Map.entry("urlPrefix", FieldType.TEXT),
          // kube-scheduler accepted this field but never used it.
          Map.entry("apiVersion", FieldType.TEXT),
          Map.entry("filterVerb", FieldType.TEXT),
          Map.entry("prioritizeVerb", FieldType.TEXT),
          Map.entry("preemptVerb", FieldType.TEXT),
          Map.entry("bindVerb", FieldType.TEXT),
          Map.entry("weight", FieldType.WHOLE),
          Map.entry("enableHTTPS", FieldType.TRUTH),
          Map.entry("enableHttps", FieldType.TRUTH),
          Map.entry("tlsConfig", FieldType.OBJECT),
          Map.entry("httpTimeout", FieldType.DURATION),
          Map.entry("nodeCacheCapable", FieldType.TRUTH),
          Map.entry("managedResources", FieldType.LIST),
          Map.entry("ignorable", FieldType.TRUTH));
  private static final Map<String, FieldType> TLS_FIELDS =
      Map.of(
          "insecure", FieldType.TRUTH,
          "serverName", FieldType.TEXT,
          "certFile", FieldType.TEXT,
          "keyFile", FieldType.TEXT,
          "caFile", FieldType.TEXT,
          "certData", FieldType.TEXT,
          "keyData", FieldType.TEXT,
          "caData", FieldType.TEXT,
          "secretName", FieldType.TEXT);
  private static final Map<String, FieldType> RESOURCE_FIELDS =
      Map.of("name", FieldType.TEXT, "ignoredByScheduler", FieldType.TRUTH);

  private final BiConsumer<String, String> malformed;

  /** Creates a reader that passes the path and the message of each problem to the consumer. */
  LegacyExtenders(BiConsumer<String, String> malformed) {
    this.malformed = malformed;
  }

  List<Extender> read(JsonNode list) {
    List<Extender> extenders = new ArrayList<>();
    for (int i = 0; i < list.size(); i++) {
      extender(list.get(i), "extenders[" + i + "]").ifPresent(extenders::add);
    }
    return extenders;
  }

  private Optional<Extender> extender(JsonNode given, String place) {
    boolean well = LegacyFields.check(given, "an extender", place, FIELDS, malformed);
    if (given.isObject() && given.path("urlPrefix").asText("").isEmpty()) {
      malformed.accept(place + ".urlPrefix", "must be the URL of the extender");
      well = false;
    }
    if (given.path("tlsConfig").isObject()) {
      well &=
          LegacyFields.check(
              given.path("tlsConfig"), "tlsConfig", place + ".tlsConfig", TLS_FIELDS, malformed);
    }
    JsonNode resources = given.path("managedResources");
    for (int i = 0; resources.isArray() && i < resources.size(); i++) {
      well &=
          LegacyFields.check(
              resources.get(i),
              "a managed resource",
              place + ".managedResources[" + i + "]",
              RESOURCE_FIELDS,
              malformed);
    }
    return well ? Optional.of(translate((ObjectNode) given)) : Optional.empty();
  }

  private static Extender translate(ObjectNode given) {
    ObjectNode extender = given.deepCopy();
    extender.remove("apiVersion");
    if (extender.has("enableHttps")) {
      extender.set("enableHTTPS", extender.remove("enableHttps"));
    }
    ExtenderDefaults.write(extender);
    try {
      return JSON.treeToValue(extender, Extender.class);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("an extender of known fields and types cannot be read", e);
    }
  }
}
