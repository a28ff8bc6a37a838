package io.berth.crds.generate;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;

/**
 * Writes YAML for files in the repository: with few quotes, without line breaks in values, and with
 * the same text for the same tree.
 */
final class YamlText {

  private static final YAMLMapper YAML =
      new YAMLMapper(
          YAMLFactory.builder()
              .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
              .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
              .disable(YAMLGenerator.Feature.SPLIT_LINES)
              .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
              .build());

  private YamlText() {}

  static String of(JsonNode tree) {
    try {
      return YAML.writeValueAsString(tree);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree in memory can always be written", e);
    }
  }
}
