package io.berth.demo.version;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.LocalCluster;
import io.berth.demo.cluster.Manifests;
import io.berth.sandbox.kubelet.KubeletOptions;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Objects of the first version of the CustomResourceDefinitions after an upgrade to the current
 * ones.
 */
class DefinitionUpgradeTest {

  private static final YAMLMapper YAML = new YAMLMapper();
  private static final String SCHEMA = "/spec/versions/0/schema/openAPIV3Schema";

  /** Limits that became stricter, each with its reason. */
  private static final Map<String, String> NARROWED =
      Map.of(
          "SchedulingPolicy.spec.extenders[].weight: maximum",
          "kube-scheduler's own limit; no version used an extender before it was lowered");

  private static List<ObjectNode> read(String resource) throws IOException {
    try (InputStream in = DefinitionUpgradeTest.class.getResourceAsStream(resource);
        var documents = YAML.readerFor(ObjectNode.class).<ObjectNode>readValues(in)) {
      return documents.readAll();
    }
  }

  private static Map<String, JsonNode> byKind(List<? extends JsonNode> definitions) {
    Map<String, JsonNode> schemas = new TreeMap<>();
    definitions.forEach(
        definition ->
            schemas.put(definition.at("/spec/names/kind").asText(), definition.at(SCHEMA)));
    return schemas;
  }

  private static Map<String, JsonNode> present() throws IOException {
    try (var documents =
        YAML.readerFor(ObjectNode.class)
            .<ObjectNode>readValues(
                Checkout.find().root().resolve("deploy/manifests/00-crds.yaml").toFile())) {
      return byKind(documents.readAll());
    }
  }

  @Test
  void everyFieldOfTheFirstVersion_isStillThere_andAcceptsWhatItAccepted() throws IOException {
    Map<String, JsonNode> present = present();
    Set<String> narrowed = new TreeSet<>();

    byKind(read("first-definitions.yaml"))
        .forEach((kind, before) -> compare(before, present.get(kind), kind, narrowed));

    assertThat(narrowed).containsExactlyInAnyOrderElementsOf(NARROWED.keySet());
  }

  private static void compare(JsonNode before, JsonNode now, String at, Set<String> narrowed) {
    if (now == null || now.isMissingNode()) {
      narrowed.add(at + ": removed");
      return;
    }
    for (String keyword :
        List.of(
            "type",
            "format",
            "pattern",
            "x-kubernetes-int-or-string",
            "x-kubernetes-list-type",
            "x-kubernetes-list-map-keys",
            "x-kubernetes-map-type",
            "x-kubernetes-preserve-unknown-fields")) {
      if (!before.path(keyword).equals(now.path(keyword))) {
        narrowed.add(at + ": " + keyword);
      }
    }
    for (String limit : List.of("maximum", "maxLength", "maxItems", "maxProperties")) {
      if (now.has(limit) && now.path(limit).asDouble() < before.path(limit).asDouble(1e300)) {
        narrowed.add(at + ": " + limit);
      }
    }
    for (String limit : List.of("minimum", "minLength", "minItems", "minProperties")) {
      if (now.has(limit) && now.path(limit).asDouble() > before.path(limit).asDouble(-1e300)) {
        narrowed.add(at + ": " + limit);
      }
    }
    if (now.has("enum") && !texts(now.path("enum")).containsAll(texts(before.path("enum")))) {
      narrowed.add(at + ": enum");
    }
    if (!texts(before.path("required")).containsAll(texts(now.path("required")))) {
      narrowed.add(at + ": required");
    }
    before
        .path("properties")
        .properties()
        .forEach(
            property ->
                compare(
                    property.getValue(),
                    now.path("properties").path(property.getKey()),
                    at + "." + property.getKey(),
                    narrowed));
    for (String inner : List.of("items", "additionalProperties")) {
      if (before.path(inner).isObject()) {
        compare(before.path(inner), now.path(inner), at + "[]", narrowed);
      }
    }
  }

  private static Set<String> texts(JsonNode list) {
    Set<String> texts = new TreeSet<>();
    list.forEach(text -> texts.add(text.asText()));
    return texts;
  }

  @Test
  void theObjects_haveEveryFieldOfTheFirstVersion() throws IOException {
    Map<String, JsonNode> objects = new TreeMap<>();
    read("first-objects.yaml").forEach(object -> objects.put(object.path("kind").asText(), object));
    List<String> missing = new ArrayList<>();

    byKind(read("first-definitions.yaml"))
        .forEach(
            (kind, schema) -> {
              for (String part : List.of("spec", "status")) {
                missing(
                    schema.at("/properties/" + part),
                    List.of(objects.get(kind).path(part)),
                    kind + "." + part,
                    missing);
              }
            });

    assertThat(missing).isEmpty();
  }

  private static void missing(
      JsonNode schema, List<JsonNode> values, String at, List<String> missing) {
    schema
        .path("properties")
        .properties()
        .forEach(
            property -> {
              List<JsonNode> found =
                  values.stream()
                      .map(value -> value.path(property.getKey()))
                      .filter(value -> !value.isMissingNode())
                      .toList();
              String path = at + "." + property.getKey();
              if (found.isEmpty()) {
                missing.add(path);
              }
              missing(property.getValue(), found, path, missing);
            });
    if (schema.path("items").isObject()) {
      List<JsonNode> items = new ArrayList<>();
      values.forEach(list -> list.forEach(items::add));
      missing(schema.path("items"), items, at + "[]", missing);
    }
  }

  @Test
  void storedObjects_keepAllTheirFields_andCanBeWritten_afterTheUpgrade() throws Exception {
    try (LocalCluster cluster = LocalCluster.start(0, 0, KubeletOptions.immediate())) {
      KubernetesClient admin = cluster.admin();
      for (ObjectNode definition : read("first-definitions.yaml")) {
        admin
            .resource(
                Serialization.unmarshal(definition.toString(), CustomResourceDefinition.class))
            .create();
      }
      List<ObjectNode> objects = read("first-objects.yaml");
      for (ObjectNode object : objects) {
        Resource<GenericKubernetesResource> stored = resource(admin, object);
        await().untilAsserted(() -> assertThat(stored.get()).isNull());
        stored.create();
        stored.patchStatus();
        assertThat(lost(object, stored)).as("written by the first version").isEmpty();
      }

      new Manifests(admin)
          .apply(
              Checkout.find().manifests(),
              object -> object.getKind().equals("CustomResourceDefinition"));

      for (ObjectNode object : objects) {
        Resource<GenericKubernetesResource> stored = resource(admin, object);
        assertThat(lost(object, stored)).as("read by today's version").isEmpty();
        stored.patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\":{\"labels\":{\"written\":\"1\"}}}");
        assertThat(lost(object, stored)).as("written by today's version").isEmpty();
        ObjectNode created = object.deepCopy();
        ((ObjectNode) created.path("metadata")).put("name", "second");
        assertThat(resource(admin, created).create().getMetadata().getName()).isEqualTo("second");
      }
    }
  }

  private static Resource<GenericKubernetesResource> resource(
      KubernetesClient admin, ObjectNode object) {
    return admin.resource(
        Serialization.unmarshal(object.toString(), GenericKubernetesResource.class));
  }

  /** Returns the fields of spec and status that are lost or changed. Added defaults are allowed. */
  private static List<String> lost(ObjectNode object, Resource<GenericKubernetesResource> stored)
      throws IOException {
    JsonNode now = YAML.readTree(Serialization.asJson(stored.get()));
    List<String> lost = new ArrayList<>();
    for (String part : List.of("spec", "status")) {
      lost(object.path(part), now.path(part), part, lost);
    }
    return lost;
  }

  private static void lost(JsonNode before, JsonNode now, String at, List<String> lost) {
    if (before.isContainerNode() && before.getNodeType() == now.getNodeType()) {
      before
          .properties()
          .forEach(
              field ->
                  lost(
                      field.getValue(), now.path(field.getKey()), at + "." + field.getKey(), lost));
      for (int i = 0; i < (before.isArray() ? before.size() : 0); i++) {
        lost(before.get(i), now.path(i), at + "[" + i + "]", lost);
      }
    } else if (!before.equals(now)) {
      lost.add(at + ": " + before + " became " + now);
    }
  }
}
