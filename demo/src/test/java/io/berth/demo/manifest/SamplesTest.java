package io.berth.demo.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The samples, each of which has a README and manifests that match the schemas. */
class SamplesTest {

  private static final Path SAMPLES = Path.of("..", "samples");

  @TestFactory
  Stream<DynamicTest> sample_isAcceptedByTheSchemas() throws IOException {
    Definitions definitions = Definitions.read();
    try (Stream<Path> folders = Files.list(SAMPLES)) {
      return folders.filter(Files::isDirectory).sorted().toList().stream()
          .map(
              folder ->
                  DynamicTest.dynamicTest(
                      folder.getFileName().toString(), () -> check(definitions, folder)));
    }
  }

  private static void check(Definitions definitions, Path folder) throws IOException {
    assertThat(folder.resolve("README.md")).isNotEmptyFile();
    int ours = 0;
    for (Path file : Definitions.yamlFiles(folder)) {
      List<JsonNode> manifests = Definitions.manifests(file);
      for (JsonNode manifest : manifests) {
        if (definitions.knows(manifest)) {
          ours++;
          assertThat(definitions.problems(manifest)).as(file.toString()).isEmpty();
        }
      }
    }
    // Devices by claim need no policy.
    if (!folder.getFileName().toString().startsWith("device-")) {
      assertThat(ours).as("manifests of Berth's kinds").isPositive();
    }
  }
}
