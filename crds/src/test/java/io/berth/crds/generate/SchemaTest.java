package io.berth.crds.generate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** Rules for the schemas of all kinds. */
class SchemaTest {

  private final Map<String, ObjectNode> definitions = CrdDocuments.generate();

  @Test
  void everyField_isDescribed() {
    List<String> silent = new ArrayList<>();
    everywhere(
        (path, schema) ->
            schema
                .path("properties")
                .properties()
                .forEach(
                    field -> {
                      if (!path.isEmpty() && field.getValue().path("description").isMissingNode()) {
                        silent.add(path + "." + field.getKey());
                      }
                    }));

    assertThat(silent).as("fields without a description in kubectl explain").isEmpty();
  }

  @Test
  void everyList_saysHowItIsMerged() {
    everywhere(
        (path, schema) -> {
          if (schema.path("type").asText().equals("array")) {
            assertThat(schema.path("x-kubernetes-list-type").asText())
                .as(path)
                .isIn("atomic", "set", "map");
            for (JsonNode key : schema.path("x-kubernetes-list-map-keys")) {
              assertThat(schema.at("/items/required")).as(path).contains(key);
            }
          }
        });
  }

  @Test
  void everySchema_isStructural() {
    everywhere(
        (path, schema) ->
            assertThat(
                    schema.has("type")
                        || schema.path("x-kubernetes-int-or-string").asBoolean()
                        || schema.path("x-kubernetes-preserve-unknown-fields").asBoolean())
                .as("%s has a type, or declares that it accepts several", path)
                .isTrue());
  }

  @Test
  void everyObjectAndListItemOfATemplate_mayBeConditional() {
    for (String tree : List.of("nodeAffinity", "tolerations")) {
      assertConditional("nodeschedulerconfigs", tree);
    }
    for (String tree : List.of("podAffinity", "podAntiAffinity", "topologySpreadConstraints")) {
      assertConditional("podschedulerconfigs", tree);
    }
  }

  private void assertConditional(String plural, String tree) {
    JsonNode schema = spec(plural).path("properties").path(tree);
    walk(
        tree,
        schema,
        (path, part) -> {
          if (part.has("properties")) {
            assertThat(part.path("properties").has("$if")).as(path).isTrue();
          }
        });
  }

  @Test
  void templatedNumbers_takeAnIntegerOrATemplate() {
    assertIntOrString(
        "nodeschedulerconfigs",
        "/nodeAffinity/properties/preferredDuringSchedulingIgnoredDuringExecution/items/properties/weight");
    assertIntOrString("nodeschedulerconfigs", "/tolerations/items/properties/tolerationSeconds");
    assertIntOrString("podschedulerconfigs", "/topologySpreadConstraints/items/properties/maxSkew");
    assertIntOrString(
        "podschedulerconfigs", "/topologySpreadConstraints/items/properties/minDomains");
  }

  private void assertIntOrString(String plural, String path) {
    JsonNode schema = spec(plural).at("/properties" + path);
    assertThat(schema.path("x-kubernetes-int-or-string").asBoolean()).as(path).isTrue();
  }

  @Test
  void everyKind_isListedByCategoryAndShowsReadyFirst() {
    definitions.forEach(
        (plural, definition) -> {
          assertThat(definition.at("/spec/names/categories/0").asText()).isEqualTo("sched");
          JsonNode version = definition.at("/spec/versions/0");
          assertThat(version.at("/subresources/status").isObject()).isTrue();
          assertThat(version.at("/additionalPrinterColumns/0/name").asText()).isEqualTo("Ready");
          assertThat(version.path("additionalPrinterColumns").findValuesAsText("name"))
              .as(plural)
              .contains("Reason", "Age");
        });
  }

  private JsonNode spec(String plural) {
    return definitions.get(plural).at("/spec/versions/0/schema/openAPIV3Schema/properties/spec");
  }

  private void everywhere(BiConsumer<String, JsonNode> check) {
    definitions.forEach(
        (plural, definition) ->
            walk("", definition.at("/spec/versions/0/schema/openAPIV3Schema"), check));
  }

  private static void walk(String path, JsonNode schema, BiConsumer<String, JsonNode> check) {
    check.accept(path, schema);
    schema
        .path("properties")
        .properties()
        .forEach(field -> walk(path + "." + field.getKey(), field.getValue(), check));
    if (schema.path("items").isObject()) {
      walk(path + "[]", schema.get("items"), check);
    }
    if (schema.path("additionalProperties").isObject()) {
      walk(path + "{}", schema.get("additionalProperties"), check);
    }
  }
}
