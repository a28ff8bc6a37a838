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
 * The checked-in files that are generated, as path relative to the repository's root and content.
 *
 * <p>{@code crds/*.yaml} and {@code deploy/manifests/00-crds.yaml} hold the definitions, {@code
 * deploy/berth.yaml} everything under {@code deploy/manifests} in one file, and {@code
 * docs/api-reference.md} what the definitions say, for reading.
 */
final class GeneratedFiles {

  private static final String HEADER =
      "# Generated from the Java types in crds/ by `make crds`; changes made here are lost.\n";
  private static final String BUNDLE_HEADER =
      "# All of deploy/manifests in one file, put together by `make crds`; changes made here are"
          + " lost.\n";
  private static final String DEPLOYED_DEFINITIONS = "00-crds.yaml";

  private GeneratedFiles() {}

  /** Returns content by path, given the root that holds the hand-written manifests. */
  static Map<Path, String> generate(Path root) throws IOException {
    Map<String, ObjectNode> definitions = CrdDocuments.generate();
    Map<Path, String> files = new LinkedHashMap<>();
    definitions.forEach(
        (plural, definition) ->
            files.put(Path.of("crds", plural + ".yaml"), HEADER + YamlText.of(definition)));
    String all =
        definitions.values().stream().map(YamlText::of).collect(Collectors.joining("---\n"));
    files.put(Path.of("deploy", "manifests", DEPLOYED_DEFINITIONS), HEADER + all);
    files.put(
        Path.of("deploy", "berth.yaml"), BUNDLE_HEADER + all + handWritten(root.resolve("deploy")));
    files.put(Path.of("docs", "api-reference.md"), ApiReference.of(definitions.values()));
    return files;
  }

  private static String handWritten(Path deploy) throws IOException {
    StringBuilder bundle = new StringBuilder();
    for (Path manifest : manifests(deploy.resolve("manifests"))) {
      bundle.append("---\n").append(Files.readString(manifest));
    }
    return bundle.toString();
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
