package io.berth.webhook.legacy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.policy.Extender;
import io.berth.webhook.legacy.LegacyFields.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/** Reads the extenders of a legacy policy. */
final class LegacyExtenders {
  private static final JsonMapper JSON = new JsonMapper();

  private static final Map<String, Type> FIELDS =
      Map.ofEntries(
          Map.entry("urlPrefix", Type.TEXT),
          // kube-scheduler read it for years and never looked at it.
          Map.entry("apiVersion", Type.TEXT),
          Map.entry("filterVerb", Type.TEXT),
          Map.entry("prioritizeVerb", Type.TEXT),
          Map.entry("preemptVerb", Type.TEXT),
          Map.entry("bindVerb", Type.TEXT),
          Map.entry("weight", Type.WHOLE),
          Map.entry("enableHTTPS", Type.TRUTH),
          Map.entry("enableHttps", Type.TRUTH),
          Map.entry("tlsConfig", Type.OBJECT),
          Map.entry("httpTimeout", Type.DURATION),
          Map.entry("nodeCacheCapable", Type.TRUTH),
          Map.entry("managedResources", Type.LIST),
          Map.entry("ignorable", Type.TRUTH));
  private static final Map<String, Type> TLS_FIELDS =
      Map.of(
          "insecure", Type.TRUTH,
          "serverName", Type.TEXT,
          "certFile", Type.TEXT,
          "keyFile", Type.TEXT,
          "caFile", Type.TEXT,
          "certData", Type.TEXT,
          "keyData", Type.TEXT,
          "caData", Type.TEXT);
  private static final Map<String, Type> RESOURCE_FIELDS =
      Map.of("name", Type.TEXT, "ignoredByScheduler", Type.TRUTH);

  private final BiConsumer<String, String> malformed;

  /** Problems go to the consumer, as a place and its words. */
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
      malformed.accept(place + ".urlPrefix", "must say where the extender is");
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
    try {
      return JSON.treeToValue(extender, Extender.class);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("an extender of known fields and types cannot be read", e);
    }
  }
}
