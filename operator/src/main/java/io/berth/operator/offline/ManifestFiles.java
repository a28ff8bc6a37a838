package io.berth.operator.offline;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Reads manifests as {@code kubectl apply -f} does: YAML or JSON files with one or several objects,
 * lists of objects, and folders with such files.
 */
public final class ManifestFiles {

  private static final Set<String> ENDINGS = Set.of(".yaml", ".yml", ".json");

  private ManifestFiles() {}

  /**
   * Reads all objects in these files.
   *
   * @param files paths of files and folders; {@code -} stands for standard input
   * @param standardInput the stream to read for {@code -}
   * @throws UnreadableFileException when a file does not exist or is not YAML
   */
  public static List<Manifest> read(List<String> files, InputStream standardInput)
      throws UnreadableFileException {
    List<Manifest> manifests = new ArrayList<>();
    for (String file : files) {
      if (file.equals("-")) {
        read("-", text("-", standardInput), manifests);
      } else {
        for (Path path : filesOf(Path.of(file))) {
          read(path.toString(), text(path), manifests);
        }
      }
    }
    return manifests;
  }

  /**
   * Parses the documents of one text.
   *
   * @param source the name of the text in messages
   */
  public static List<JsonNode> documents(String source, String text)
      throws UnreadableFileException {
    return YamlText.documents(source, text);
  }

  /** Reads a file in UTF-8, or in the encoding that its byte order mark names. */
  public static String text(Path file) throws UnreadableFileException {
    try {
      return EncodedText.decode(file.toString(), Files.readAllBytes(file));
    } catch (IOException e) {
      throw new UnreadableFileException(
          Files.exists(file)
              ? file + ": it cannot be read: " + e.getMessage()
              : file + ": there is no such file; give the path of a YAML or JSON file");
    }
  }

  private static String text(String source, InputStream stream) throws UnreadableFileException {
    try {
      return EncodedText.decode(source, stream.readAllBytes());
    } catch (IOException e) {
      throw new UnreadableFileException(source + ": it cannot be read: " + e.getMessage());
    }
  }

  private static List<Path> filesOf(Path path) throws UnreadableFileException {
    if (!Files.isDirectory(path)) {
      return List.of(path);
    }
    try (Stream<Path> entries = Files.walk(path)) {
      List<Path> files =
          entries
              .filter(Files::isRegularFile)
              .filter(file -> ENDINGS.stream().anyMatch(file.toString()::endsWith))
              .sorted()
              .toList();
      if (files.isEmpty()) {
        throw new UnreadableFileException(
            path + ": there is no .yaml, .yml or .json file in this folder");
      }
      return files;
    } catch (IOException e) {
      throw new UnreadableFileException(path + ": it cannot be read: " + e.getMessage());
    }
  }

  private static void read(String source, String text, List<Manifest> manifests)
      throws UnreadableFileException {
    for (JsonNode document : documents(source, text)) {
      add(source, document, manifests);
    }
  }

  private static void add(String source, JsonNode object, List<Manifest> manifests)
      throws UnreadableFileException {
    String kind = object.path("kind").asText("");
    if (kind.isEmpty() || object.path("apiVersion").asText("").isEmpty()) {
      throw new UnreadableFileException(
          source + ": a document has no apiVersion or no kind; each object needs both");
    }
    if (kind.endsWith("List") && object.path("items").isArray()) {
      for (JsonNode item : object.path("items")) {
        add(source, item, manifests);
      }
    } else {
      manifests.add(new Manifest(source, object));
    }
  }
}
