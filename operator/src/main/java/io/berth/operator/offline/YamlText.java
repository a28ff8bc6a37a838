package io.berth.operator.offline;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.representer.Representer;

/**
 * Parses the documents of a text as kubectl does: as JSON if the text is JSON, and as YAML
 * otherwise, with aliases, merge keys, and the scalars of YAML 1.1 ({@link YamlTree}).
 */
final class YamlText {
  private static final int MOST_CHARACTERS = 64 << 20;
  private static final int DEEPEST = 200;
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private YamlText() {}

  /**
   * Returns the documents that are not empty.
   *
   * @param source the name of the text in messages
   * @throws UnreadableFileException if the text is neither JSON nor YAML
   */
  static List<JsonNode> documents(String source, String text) throws UnreadableFileException {
    List<JsonNode> documents = json(text).orElse(null);
    if (documents == null) {
      documents = yaml(source, text);
    }
    return documents.stream()
        .filter(document -> !document.isMissingNode() && !document.isNull())
        .toList();
  }

  /** Returns the documents of a JSON text; empty if it is not JSON, as flow style of YAML is. */
  private static Optional<List<JsonNode>> json(String text) {
    if (!text.stripLeading().startsWith("{")) {
      return Optional.empty();
    }
    try (MappingIterator<JsonNode> documents = JSON.readerFor(JsonNode.class).readValues(text)) {
      return Optional.of(documents.readAll());
    } catch (IOException e) {
      return Optional.empty(); // the parser of YAML has the better message
    }
  }

  private static List<JsonNode> yaml(String source, String text) throws UnreadableFileException {
    LoaderOptions options = new LoaderOptions();
    options.setCodePointLimit(MOST_CHARACTERS);
    options.setNestingDepthLimit(DEEPEST);
    options.setMaxAliasesForCollections(Integer.MAX_VALUE); // YamlTree has a limit on their content
    List<JsonNode> documents = new ArrayList<>();
    try {
      Yaml yaml =
          new Yaml(
              new SafeConstructor(options),
              new Representer(new DumperOptions()),
              new DumperOptions(),
              options,
              new YamlTree.ImplicitTags());
      for (Node document : yaml.composeAll(new StringReader(text))) {
        documents.add(YamlTree.of(document));
      }
    } catch (MarkedYAMLException e) {
      throw new UnreadableFileException(
          source + line(e.getProblemMark()) + ": this is not YAML: " + e.getProblem());
    } catch (YAMLException e) {
      throw new UnreadableFileException(
          source + ": this is not YAML: " + e.getMessage().lines().findFirst().orElse("").strip());
    } catch (YamlTree.InvalidNodeException e) {
      throw new UnreadableFileException(source + line(e.mark()) + ": " + e.getMessage());
    }
    return documents;
  }

  private static String line(Mark mark) {
    return mark == null ? "" : ", line " + (mark.getLine() + 1);
  }
}
