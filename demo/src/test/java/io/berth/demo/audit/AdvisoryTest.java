package io.berth.demo.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AdvisoryTest {
  private static final String ADVISORY =
      """
      {"id": "A-1", "summary": "it can be kept busy", "affected": [
        {"package": {"ecosystem": "npm", "name": "org.example:lib"}, "versions": ["9.0"]},
        {"package": {"ecosystem": "Maven", "name": "org.example:lib"},
         "versions": ["0.9-rc1"],
         "ranges": [{"type": "ECOSYSTEM", "events": [
           {"introduced": "1.2"}, {"fixed": "1.10.Final"},
           {"introduced": "2.0"}, {"last_affected": "2.3"},
           {"introduced": "4.0"}]}]}]}
      """;

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({
    "0.9-rc1, true", "1.1, false", "1.2, true", "1.9.Final, true", "1.10.Final, false",
    "2.3, true", "2.4, false", "3.9, false", "4.0, true", "9.0, true"
  })
  void versionsOfTheRanges_areAffected(String version, boolean affected) throws IOException {
    Files.writeString(folder.resolve("a.json"), ADVISORY);

    assertThat(Advisories.in(folder).getFirst().affects(library("org.example:lib", version)))
        .isEqualTo(affected);
    assertThat(Advisories.in(folder).getFirst().affects(library("org.example:other", version)))
        .isFalse();
  }

  @Test
  void advisoriesOfAZipFile_areRead_andWithdrawnOnesAffectNothing() throws IOException {
    Path zip = folder.resolve("all.zip");
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
      out.putNextEntry(new ZipEntry("A-1.json"));
      out.write(ADVISORY.getBytes(java.nio.charset.StandardCharsets.UTF_8));
      out.putNextEntry(new ZipEntry("A-2.json"));
      out.write(
          ADVISORY
              .replace("{\"id\"", "{\"withdrawn\": \"2026-01-01T00:00:00Z\", \"id\"")
              .getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    assertThat(Advisories.in(zip))
        .extracting(advisory -> advisory.affects(library("org.example:lib", "4.1")))
        .containsExactly(true, false);
  }

  @Test
  void aFolderWithoutAdvisories_isAnError() {
    assertThatThrownBy(() -> Advisories.in(folder))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has no advisories");
  }

  private static Component library(String name, String version) {
    return new Component(name, version, List.of("Apache-2.0"));
  }
}
