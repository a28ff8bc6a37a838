package io.berth.crds.generate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * The API reference in Markdown, with a section per kind, a table per object, and a row per field.
 */
final class ApiReference {

  private final StringBuilder text = new StringBuilder();

  private ApiReference() {}

  static String of(Collection<ObjectNode> definitions) {
    ApiReference reference = new ApiReference();
    reference.text.append(
        """
        # API reference

        <!-- Generated from the CRDs by `make docs`; changes made here are lost. -->

        All kinds are of `sched.cloud.ctrip.com/v1`. `kubectl get sched` lists the objects of all of them, and
        `kubectl explain nsc.spec` (`psc`, `scb`, `spol`) says the same as this page.

        | kind | short name | scope |
        | --- | --- | --- |
        """);
    definitions.forEach(reference::summary);
    definitions.forEach(reference::section);
    return reference.text.toString();
  }

  private void summary(ObjectNode definition) {
    String kind = definition.at("/spec/names/kind").asText();
    text.append(
        "| [%s](#%s) | `%s` | %s |\n"
            .formatted(
                kind,
                kind.toLowerCase(Locale.ROOT),
                definition.at("/spec/names/shortNames/0").asText(),
                definition.at("/spec/scope").asText()));
  }

  private void section(ObjectNode definition) {
    String kind = definition.at("/spec/names/kind").asText();
    JsonNode root = definition.at("/spec/versions/0/schema/openAPIV3Schema");
    text.append("\n## %s\n\n%s\n".formatted(kind, root.path("description").asText()));
    Map<String, JsonNode> open = new LinkedHashMap<>();
    open.put("spec", root.at("/properties/spec"));
    open.put("status", root.at("/properties/status"));
    Set<String> written = new HashSet<>();
    while (!open.isEmpty()) {
      String path = open.keySet().iterator().next();
      table(kind, path, open.remove(path), open, written);
    }
  }

  private void table(
      String kind, String path, JsonNode schema, Map<String, JsonNode> open, Set<String> written) {
    text.append("\n### %s `%s`\n\n".formatted(kind, path));
    rules(schema);
    text.append("| field | type | description |\n| --- | --- | --- |\n");
    Set<String> required =
        StreamSupport.stream(schema.path("required").spliterator(), false)
            .map(JsonNode::asText)
            .collect(Collectors.toSet());
    Map<String, JsonNode> deeper = new LinkedHashMap<>();
    schema
        .path("properties")
        .properties()
        .forEach(
            field -> {
              String name = field.getKey();
              text.append(
                  "| `%s` | %s | %s |\n"
                      .formatted(
                          name,
                          type(field.getValue()) + (required.contains(name) ? ", required" : ""),
                          cell(field.getValue())));
              JsonNode parts = parts(field.getValue());
              if (parts.has("properties") && written.add(parts.toString())) {
                String suffix = field.getValue().has("items") ? "[]" : "";
                deeper.put(path + "." + name + suffix, parts);
              }
            });
    Map<String, JsonNode> later = new LinkedHashMap<>(open);
    open.clear();
    open.putAll(deeper);
    open.putAll(later);
  }

  private void rules(JsonNode schema) {
    for (JsonNode rule : schema.path("x-kubernetes-validations")) {
      text.append("- Rule: %s.\n".formatted(rule.path("message").asText()));
    }
    if (schema.has("x-kubernetes-validations")) {
      text.append('\n');
    }
  }

  private static JsonNode parts(JsonNode schema) {
    return schema.has("items") ? schema.get("items") : schema;
  }

  private static String type(JsonNode schema) {
    if (schema.has("items")) {
      return "list of " + type(schema.get("items"));
    }
    if (schema.path("x-kubernetes-int-or-string").asBoolean()) {
      return "integer or string";
    }
    if (schema.has("additionalProperties")) {
      return "map to " + type(schema.get("additionalProperties"));
    }
    return schema.path("type").asText("any");
  }

  private static String cell(JsonNode schema) {
    List<String> words = new ArrayList<>();
    words.add(schema.path("description").asText());
    if (schema.has("default")) {
      words.add("Default: `%s`.".formatted(schema.get("default").asText()));
    }
    if (schema.has("enum")) {
      words.add(
          "One of "
              + StreamSupport.stream(schema.get("enum").spliterator(), false)
                  .map(value -> "`" + value.asText() + "`")
                  .collect(Collectors.joining(", "))
              + ".");
    }
    limit(schema, "minimum", "At least %s.", words);
    limit(schema, "maximum", "At most %s.", words);
    limit(schema, "maxItems", "At most %s items.", words);
    return String.join(" ", words).replace("|", "\\|");
  }

  private static void limit(JsonNode schema, String field, String words, List<String> into) {
    if (schema.has(field)) {
      into.add(words.formatted(schema.get(field).asText()));
    }
  }
}
