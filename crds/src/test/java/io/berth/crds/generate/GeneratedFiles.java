package io.berth.crds.generate;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The generated files in the repository: their paths, relative to the root, and their content.
 *
 * <p>{@code crds/*.yaml}, the resources of this module, {@code deploy/manifests/00-crds.yaml} and
 * {@code deploy/chart/files/crds.yaml} contain the definitions, {@code deploy/berth.yaml} contains
 * all of {@code deploy/manifests} in one file, and {@code docs/api-reference.md} documents the
 * definitions.
 */
final class GeneratedFiles {

  private static final String HEADER =
      "# Generated from the Java types in crds/ by `make crds`; changes made here are lost.\n";
  private static final String BUNDLE_HEADER =
      "# All of deploy/manifests in one file, put together by `make manifests`; changes made here"
          + " are lost.\n";

  /** The definitions as resources, for commands that validate objects without a cluster. */
  private static final Path RESOURCES =
      Path.of("crds", "src", "main", "resources", "io", "berth", "crds", "definitions");

  private static final String DEPLOYED_DEFINITIONS = "00-crds.yaml";

  private GeneratedFiles() {}

  /**
   * Returns the content of each file by path, given the root with the manifests rendered from the
   * chart.
   */
  static Map<Path, String> generate(Path root) throws IOException {
    Map<String, ObjectNode> definitions = CrdDocuments.generate();
    Map<Path, String> files = new LinkedHashMap<>();
    definitions.forEach(
        (plural, definition) -> {
          String text = HEADER + YamlText.of(definition);
          files.put(Path.of("crds", plural + ".yaml"), text);
          files.put(RESOURCES.resolve(plural + ".yaml"), text);
        });
    String all =
        definitions.values().stream().map(YamlText::of).collect(Collectors.joining("---\n"));
    files.put(Path.of("deploy", "manifests", DEPLOYED_DEFINITIONS), HEADER + all);
    files.put(
        Path.of("deploy", "chart", "files", "crds.yaml"),
        definitions.values().stream()
            .map(definition -> YamlText.of(keptByHelm(definition)))
            .collect(Collectors.joining("---\n", HEADER, "")));
    files.put(
        Path.of("deploy", "berth.yaml"), BUNDLE_HEADER + all + rendered(root.resolve("deploy")));
    files.put(Path.of("docs", "api-reference.md"), ApiReference.of(definitions.values()));
    return files;
  }

  /**
   * Returns the definition with the annotation that makes Helm keep it when the release is
   * uninstalled. Helm upgrades it because the chart includes it in a template.
   */
  private static ObjectNode keptByHelm(ObjectNode definition) {
    ObjectNode kept = definition.deepCopy();
    ((ObjectNode) kept.path("metadata"))
        .putObject("annotations")
        .put("helm.sh/resource-policy", "keep");
    return kept;
  }

  private static String rendered(Path deploy) throws IOException {
    StringBuilder bundle = new StringBuilder();
    for (Path manifest : manifests(deploy.resolve("manifests"))) {
      bundle.append("---\n").append(withoutHeader(Files.readString(manifest)));
    }
    return bundle.toString();
  }

  /**
   * Removes the first line, a note that the file is generated, which the bundle contains only once.
   */
  private static String withoutHeader(String manifest) {
    return manifest.startsWith("# Rendered from ")
        ? manifest.substring(manifest.indexOf('\n') + 1)
        : manifest;
  }

  private static List<Path> manifests(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.toString().endsWith(".yaml"))
          .filter(file -> !file.endsWith(DEPLOYED_DEFINITIONS))
          .sorted()
          .toList();
    }
  }
}
