package io.berth.operator.offline;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
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
  private static final YAMLMapper YAML =
      YAMLMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

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
    try (MappingIterator<JsonNode> documents = YAML.readerFor(JsonNode.class).readValues(text)) {
      return documents.readAll().stream()
          .filter(document -> !document.isMissingNode() && !document.isNull())
          .toList();
    } catch (JsonProcessingException e) {
      String where =
          e.getLocation() == null ? "" : ", line " + Math.max(1, e.getLocation().getLineNr());
      throw new UnreadableFileException(
          source + where + ": this is not YAML: " + firstLine(e.getOriginalMessage()));
    } catch (IOException e) {
      throw new UnreadableFileException(source + ": it cannot be read: " + e.getMessage());
    }
  }

  /** Reads a file. */
  public static String text(Path file) throws UnreadableFileException {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UnreadableFileException(
          Files.exists(file)
              ? file + ": it cannot be read: " + e.getMessage()
              : file + ": there is no such file; give the path of a YAML or JSON file");
    }
  }

  private static String text(String source, InputStream stream) throws UnreadableFileException {
    try {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
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

  private static String firstLine(String message) {
    return message.lines().findFirst().orElse("").strip();
  }
}
