package io.berth.operator.offline;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.PathType;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.PodSchedulerConfig;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingQueue;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The schemas of Berth's kinds, taken from the CustomResourceDefinitions that are installed in a
 * cluster. They define the fields, their types and their bounds. Of the CEL rules, only those that
 * require one of several fields of the spec are evaluated; the webhook's own rules cover the
 * others.
 */
final class DefinitionSchemas {

  private static final String FOLDER = "/io/berth/crds/definitions/";
  private static final String SCHEMA = "/spec/versions/0/schema/openAPIV3Schema";
  private static final List<Class<? extends HasMetadata>> KINDS =
      List.of(
          NodeSchedulerConfig.class,
          PodSchedulerConfig.class,
          SchedulerConfigBinding.class,
          SchedulingPolicy.class,
          SchedulingQueue.class);

  private static final Pattern ONE_OF_SEVERAL =
      Pattern.compile("has\\(self\\.\\w+\\)(?: \\|\\| has\\(self\\.\\w+\\))*");
  private static final Pattern FIELD = Pattern.compile("self\\.(\\w+)");

  /** A rule that the spec must have at least one of these fields. */
  private record OneOf(List<String> fields, String message) {}

  private final Map<String, JsonSchema> schemas = new TreeMap<>();
  private final Map<String, List<OneOf>> rules = new TreeMap<>();

  DefinitionSchemas() {
    JsonSchemaFactory factory = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012);
    SchemaValidatorsConfig config =
        SchemaValidatorsConfig.builder()
            .locale(Locale.ENGLISH)
            .pathType(PathType.JSON_PATH)
            .build();
    for (Class<? extends HasMetadata> kind : KINDS) {
      JsonNode schema = definition(HasMetadata.getPlural(kind)).at(SCHEMA);
      rules.put(HasMetadata.getKind(kind), rules(schema.at("/properties/spec")));
      refuseUnknownFields(schema);
      ((ObjectNode) schema.path("properties")).putObject("metadata").put("type", "object");
      schemas.put(HasMetadata.getKind(kind), factory.getSchema(schema, config));
    }
  }

  /** Returns whether the kind is one of Berth's. */
  boolean knows(String kind) {
    return schemas.containsKey(kind);
  }

  /** Returns the violations of the schema, each as {@code field: message}. */
  List<String> problems(String kind, JsonNode object) {
    JsonSchema schema = schemas.get(kind);
    if (schema == null) {
      throw new IllegalArgumentException("kind " + kind + " is not one of Berth's");
    }
    List<String> problems =
        new ArrayList<>(
            schema.validate(object).stream().map(DefinitionSchemas::words).sorted().toList());
    for (OneOf rule : rules.getOrDefault(kind, List.of())) {
      if (rule.fields().stream().noneMatch(object.path("spec")::has)) {
        problems.add("spec: " + rule.message());
      }
    }
    return problems;
  }

  private static List<OneOf> rules(JsonNode spec) {
    List<OneOf> rules = new ArrayList<>();
    for (JsonNode validation : spec.path("x-kubernetes-validations")) {
      String rule = validation.path("rule").asText();
      if (ONE_OF_SEVERAL.matcher(rule).matches()) {
        List<String> fields = FIELD.matcher(rule).results().map(each -> each.group(1)).toList();
        rules.add(new OneOf(fields, validation.path("message").asText()));
      }
    }
    return rules;
  }

  private static String words(ValidationMessage message) {
    String text = message.getMessage();
    return text.startsWith("$.") ? text.substring(2) : text.replaceFirst("^\\$: ", "");
  }

  private static JsonNode definition(String plural) {
    String resource = FOLDER + plural + ".yaml";
    try (InputStream yaml = DefinitionSchemas.class.getResourceAsStream(resource)) {
      if (yaml == null) {
        throw new IllegalStateException(resource + " is missing from the class path");
      }
      return new YAMLMapper().readTree(yaml);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Converts a structural schema to a JSON Schema that rejects unknown fields. The API server
   * prunes unknown fields, and kubectl rejects them.
   */
  private static void refuseUnknownFields(JsonNode schema) {
    if (schema instanceof ObjectNode object) {
      if (object.path("properties").isObject()
          && !object.has("additionalProperties")
          && !object.path("x-kubernetes-preserve-unknown-fields").asBoolean()) {
        object.put("additionalProperties", false);
      }
      List<String> extensions = new ArrayList<>();
      object.fieldNames().forEachRemaining(extensions::add);
      extensions.removeIf(name -> !name.startsWith("x-kubernetes-"));
      object.remove(extensions);
    }
    schema.forEach(DefinitionSchemas::refuseUnknownFields);
  }
}
