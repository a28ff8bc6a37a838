package io.berth.demo.manifest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The documentation page of an error code.
 *
 * @param manifests the YAML documents of the example: existing objects, and last the object that is
 *     applied; empty if manifests alone do not produce the message
 * @param message the resulting message
 */
record ErrorPage(
    String code, String title, List<String> headings, Optional<String> manifests, String message) {

  static final Path FOLDER = Path.of("..", "docs", "errors");

  /** Returns all pages except the index. */
  static List<ErrorPage> all() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("BERTH-"))
          .sorted()
          .map(ErrorPage::read)
          .toList();
    }
  }

  private static ErrorPage read(Path file) {
    String text;
    try {
      text = Files.readString(file);
    } catch (IOException e) {
      throw new IllegalStateException(file.toString(), e);
    }
    String name = file.getFileName().toString();
    return new ErrorPage(
        name.substring(0, name.length() - ".md".length()),
        text.lines().findFirst().orElse(""),
        text.lines().filter(line -> line.startsWith("## ")).toList(),
        block(text, "yaml"),
        block(text, "text").orElse("").strip());
  }

  private static Optional<String> block(String text, String language) {
    String fence = "```" + language + "\n";
    int begin = text.indexOf(fence);
    return begin < 0
        ? Optional.empty()
        : Optional.of(text.substring(begin + fence.length(), text.indexOf("\n```", begin + 1) + 1));
  }

  @Override
  public String toString() {
    return code;
  }
}
