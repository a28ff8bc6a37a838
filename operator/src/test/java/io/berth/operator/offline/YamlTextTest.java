package io.berth.operator.offline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files are read as kubectl 1.36 reads them; the expected values are those that it prints. */
class YamlTextTest {

  @TempDir Path folder;

  private static JsonNode only(String text) throws UnreadableFileException {
    List<JsonNode> documents = YamlText.documents("file", text);
    assertThat(documents).hasSize(1);
    return documents.getFirst();
  }

  private static JsonNode json(String text) throws IOException {
    return new JsonMapper().readTree(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "y | true",
        "yes | true",
        "on | true",
        "off | false",
        "No | false",
        "0o10 | 8",
        "010 | 8",
        "08 | 8",
        "1_000 | 1000",
        "12:30 | \"12:30\"",
        "190:20:30.15 | \"190:20:30.15\"",
        "2001-01-01 | \"2001-01-01\"",
        "~ | null",
        "1e3 | 1000",
        "1e+3 | 1000",
        "0x1F | 31",
        "0b11 | 3",
        "-0b11 | -3",
        "+12 | 12",
        ".5 | 0.5",
        "1.0 | 1",
        "685_230.15 | 685230.15",
        "= | \"=\"",
        "!!str 123 | \"123\"",
        "'yes' | \"yes\"",
        "!!binary aGVsbG8= | \"hello\"",
        "!!timestamp 2001-01-01 | \"2001-01-01\"",
        "1.2.3 | \"1.2.3\"",
        "busybox:1.37 | \"busybox:1.37\"",
        "12345678901234567890 | 12345678901234567890",
      })
  void scalar_hasTheValueThatKubectlGivesIt(String yaml, String expected) throws Exception {
    assertThat(only("a: " + yaml).path("a")).isEqualTo(json(expected));
  }

  @Test
  void aliasesAndMergeKeys_areCopies() throws Exception {
    JsonNode document =
        only(
            """
            base: &base {x: 1, y: 2}
            list: [*base, *base]
            merged: {<<: *base, x: 9}
            several: {<<: [{a: 1}, {a: 2, b: 3}], c: 1}
            true: key
            1: key
            """);

    assertThat(document)
        .isEqualTo(
            json(
                """
                {"base": {"x": 1, "true": 2}, "list": [{"x": 1, "true": 2}, {"x": 1, "true": 2}],
                 "merged": {"x": 9, "true": 2}, "several": {"a": 1, "b": 3, "c": 1},
                 "true": "key", "1": "key"}
                """));
  }

  @Test
  void jsonText_isJson_andFlowStyleIsYaml() throws Exception {
    assertThat(only("{\t\"a\":\t1e400}").path("a").isNumber()).isTrue();
    assertThat(only("{a: yes}").path("a").isBoolean()).isTrue();
    assertThat(YamlText.documents("file", "{\"a\": 1}\n{\"a\": 2}")).hasSize(2);
    assertThat(YamlText.documents("file", "a: 1\n---\n---\na: 2\n")).hasSize(2);
    assertThat(YamlText.documents("file", "# nothing\n")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a: &a [*a] | file, line 1: the anchor contains an alias to itself",
        "{a: 1, a: 2} | file, line 1: the key \"a\" is there twice",
        "a: .inf | file, line 1: .inf is no number of JSON",
        "{<<: 1} | file, line 1: the value of the merge key",
        "{~: 1} | file, line 1: a key must be",
        "a: [ | file, line 1: this is not YAML",
        "a: *b | file, line 1: this is not YAML: found undefined alias b",
      })
  void whatIsNoJson_isRefusedWithItsLine(String yaml, String message) {
    assertThatThrownBy(() -> YamlText.documents("file", yaml))
        .isInstanceOf(UnreadableFileException.class)
        .hasMessageStartingWith(message)
        .message()
        .hasLineCount(1);
  }

  @Test
  void aliasesOfAliases_haveALimit() {
    StringBuilder bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 9; i++) {
      String item = "*a" + (i - 1);
      bomb.append(
          "a%d: &a%d [%s]%n"
              .formatted(
                  i,
                  i,
                  String.join(", ", List.of(item, item, item, item, item, item, item, item))));
    }

    assertThatThrownBy(() -> YamlText.documents("file", bomb.toString()))
        .isInstanceOf(UnreadableFileException.class)
        .hasMessageContaining("2,000,000 nodes");
  }

  @Test
  void files_areReadInTheEncodingOfTheirByteOrderMark() throws Exception {
    for (Charset charset :
        List.of(StandardCharsets.UTF_8, StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE)) {
      Path file = folder.resolve(charset.name());
      Files.write(file, "\uFEFFname: grün\n".getBytes(charset));

      assertThat(ManifestFiles.text(file)).isEqualTo("name: grün\n");
    }
    Path latin = folder.resolve("latin");
    Files.write(latin, "a: 1\nname: grün\n".getBytes(StandardCharsets.ISO_8859_1));

    assertThatThrownBy(() -> ManifestFiles.text(latin))
        .hasMessage(latin + ", line 2: the bytes are not UTF-8: save the file as UTF-8");
  }
}
