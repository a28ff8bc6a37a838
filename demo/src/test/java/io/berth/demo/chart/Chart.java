package io.berth.demo.chart;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import io.berth.operator.Feature;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The Helm chart in {@code deploy/chart}, rendered by Helm, used as a library.
 *
 * @param root the folder that contains {@code deploy/}
 */
record Chart(Path root) {

  static final String NAMESPACE = "berth-system";

  private static final String HEADER =
      "# Rendered from deploy/chart by `make manifests`; changes made here are lost.\n";
  private static final String SOURCE = "# Source: berth/templates/";

  /** The value that switches each feature on. */
  static final Map<Feature, String> FEATURES =
      Map.of(
          Feature.HAMI, "hami: {enabled: true}",
          Feature.LEGACY_BINDING, "legacyBinding: {enabled: true}",
          Feature.OTHER_QUEUES, "otherQueues: {enabled: true}",
          Feature.QUERY_API, "queryApi: {enabled: true}",
          Feature.REPAIR, "repair: {enabled: true}",
          Feature.WEBHOOK_RESTORE, "webhook: {restore: true}");

  private static final YAMLMapper YAML = new YAMLMapper();

  Path folder() {
    return root.resolve("deploy").resolve("chart");
  }

  /** Renders the chart with its default values and overrides in YAML. */
  String render(String values) {
    return render(values, Map.of());
  }

  /** Returns the notes that an installation prints, which {@code helm template} leaves out. */
  String notes(String values) throws IOException {
    String notes = Files.readString(folder().resolve("templates").resolve("NOTES.txt"));
    String object = "kind: Notes\ntext: {{ tpl (.Files.Get \"notes.txt\") . | toJson }}\n";
    return read(render(values, Map.of("notes.txt", notes, "templates/notes.yaml", object))).stream()
        .filter(each -> each.path("kind").asText().equals("Notes"))
        .findFirst()
        .orElseThrow()
        .path("text")
        .asText();
  }

  /**
   * Renders the chart.
   *
   * @param added the content of files that the chart has besides its own, by path
   */
  private String render(String values, Map<String, String> added) {
    return withCopy(
        copy -> {
          for (Map.Entry<String, String> each : added.entrySet()) {
            Files.writeString(copy.resolve(each.getKey()), each.getValue());
          }
          Path file = Files.writeString(copy.resolveSibling("values.yaml"), values);
          return new Helm(copy)
              .template()
              .withName("berth")
              .withNamespace(NAMESPACE)
              .withValuesFile(file)
              .call();
        });
  }

  /** Returns the rendered objects. */
  List<JsonNode> objects(String values) {
    return read(render(values));
  }

  private static List<JsonNode> read(String rendered) {
    try (var documents = YAML.readerFor(JsonNode.class).<JsonNode>readValues(rendered)) {
      return documents.readAll().stream().filter(JsonNode::isObject).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  LintResult lint() {
    return withCopy(copy -> new Helm(copy).lint().strict().call());
  }

  private interface Use<T> {
    T of(Path chart) throws IOException;
  }

  /**
   * Uses a copy of the chart without the constraint on the Kubernetes version, because the library
   * renders for a fixed version.
   */
  private <T> T withCopy(Use<T> use) {
    try {
      Path folder = Files.createTempDirectory("berth-chart");
      try (Stream<Path> files = Files.walk(folder())) {
        Path copy = folder.resolve("berth");
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          Path target = copy.resolve(folder().relativize(file));
          Files.createDirectories(target.getParent());
          Files.copy(file, target);
        }
        Path about = copy.resolve("Chart.yaml");
        Files.writeString(about, Files.readString(about).replaceAll("(?m)^kubeVersion:.*\n", ""));
        return use.of(copy);
      } finally {
        delete(folder);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns the content of the files in {@code deploy/manifests}, except the
   * CustomResourceDefinitions, by file name. Each template results in a file of the same name.
   */
  Map<String, String> manifests() throws IOException {
    String values = Files.readString(folder().resolve("ci").resolve("manifests.yaml"));
    Map<String, StringBuilder> files = new TreeMap<>();
    for (String document : render(values).split("(?m)^---\n")) {
      String text = document.strip();
      if (!text.startsWith(SOURCE)) {
        continue;
      }
      String template = text.substring(SOURCE.length(), text.indexOf('\n'));
      String object = text.substring(text.indexOf('\n') + 1).strip();
      if (!template.startsWith("tests/") && !template.startsWith("00-")) {
        StringBuilder file = files.computeIfAbsent(template, name -> new StringBuilder());
        file.append(file.isEmpty() ? HEADER : "---\n").append(withoutTrailingSpaces(object));
      }
    }
    return files.entrySet().stream()
        .collect(
            Collectors.toMap(
                Map.Entry::getKey, file -> file.getValue().toString(), (a, b) -> a, TreeMap::new));
  }

  /**
   * Returns the rights of each feature for installations without Helm: the content of the files in
   * {@code deploy/features}, by file name.
   */
  Map<String, String> features() throws IOException {
    Map<String, String> files = new TreeMap<>();
    for (Map.Entry<Feature, String> feature : FEATURES.entrySet()) {
      StringBuilder file = new StringBuilder();
      for (String document : render(feature.getValue()).split("(?m)^---\n")) {
        String text = document.strip();
        if (text.startsWith(SOURCE + "35-features.yaml")) {
          String object = text.substring(text.indexOf('\n') + 1).strip();
          file.append(file.isEmpty() ? HEADER : "---\n").append(withoutTrailingSpaces(object));
        }
      }
      files.put(feature.getKey().label() + ".yaml", file.toString());
    }
    return files;
  }

  private static String withoutTrailingSpaces(String object) {
    return object.lines().map(String::stripTrailing).collect(Collectors.joining("\n", "", "\n"));
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
