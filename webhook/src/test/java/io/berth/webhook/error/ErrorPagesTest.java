package io.berth.webhook.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ErrorPagesTest {

  private static final Path PAGE = Path.of("..", "docs", "errors.md");

  @Test
  void every_code_has_a_section_and_every_section_a_code() throws IOException {
    List<String> sections =
        Files.readAllLines(PAGE).stream()
            .filter(line -> line.startsWith("## BERTH-"))
            .map(line -> line.substring(3).strip())
            .toList();
    List<String> codes = Arrays.stream(ErrorCode.values()).map(ErrorCode::id).toList();

    assertThat(sections).containsExactlyInAnyOrderElementsOf(codes);
  }
}
