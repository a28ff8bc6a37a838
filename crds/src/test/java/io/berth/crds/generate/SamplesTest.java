package io.berth.crds.generate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every folder of samples tells its story and writes only fields that the schemas know. */
class SamplesTest {

  private static final Path SAMPLES = Path.of("..", "samples");

  private final Map<String, JsonNode> schemas =
      CrdDocuments.generate().values().stream()
          .collect(
              Collectors.toMap(
                  (ObjectNode definition) -> definition.at("/spec/names/kind").asText(),
                  definition -> definition.at("/spec/versions/0/schema/openAPIV3Schema")));

  @TestFactory
  Stream<DynamicTest> folder_hasAReadmeAndKnownFields() throws IOException {
    try (Stream<Path> folders = Files.list(SAMPLES)) {
      return folders.filter(Files::isDirectory).sorted().toList().stream()
          .map(
              folder ->
                  DynamicTest.dynamicTest(folder.getFileName().toString(), () -> check(folder)));
    }
  }

  private void check(Path folder) throws IOException {
    assertThat(folder.resolve("README.md")).isNotEmptyFile();
    List<String> problems = new ArrayList<>();
    int ours = 0;
    for (JsonNode manifest : manifests(folder)) {
      JsonNode schema = schemas.get(manifest.path("kind").asText());
      if (schema != null) {
        ours++;
        compare(manifest.path("kind").asText(), manifest, schema, problems);
      }
    }

    assertThat(problems).isEmpty();
    assertThat(ours).isGreaterThanOrEqualTo(2);
  }

  private static void compare(String path, JsonNode value, JsonNode schema, List<String> problems) {
    if (value.isArray()) {
      int index = 0;
      for (JsonNode item : value) {
        compare(path + "[" + index++ + "]", item, schema.path("items"), problems);
      }
    } else if (value.isObject() && schema.has("properties")) {
      schema
          .path("required")
          .forEach(
              field -> {
                if (!value.has(field.asText())) {
                  problems.add(path + " lacks " + field.asText());
                }
              });
      value
          .properties()
          .forEach(
              field -> {
                JsonNode part = schema.path("properties").path(field.getKey());
                if (part.isMissingNode()) {
                  problems.add(path + " has an unknown field " + field.getKey());
                }
                compare(path + "." + field.getKey(), field.getValue(), part, problems);
              });
    }
  }

  private static List<JsonNode> manifests(Path folder) throws IOException {
    ObjectMapper yaml = new ObjectMapper(new YAMLFactory());
    List<JsonNode> manifests = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(name -> name.toString().endsWith(".yaml")).toList()) {
        try (MappingIterator<JsonNode> documents =
            yaml.readerFor(JsonNode.class).readValues(file.toFile())) {
          manifests.addAll(documents.readAll());
        }
      }
    }
    return manifests;
  }
}
