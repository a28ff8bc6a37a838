package io.berth.crds.generate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The generated files in the checkout match the Java types. */
class GeneratedFilesTest {

  private static final Path ROOT = Path.of("..");

  @TestFactory
  Stream<DynamicTest> checkedInFile_isCurrent() throws IOException {
    return GeneratedFiles.generate(ROOT).entrySet().stream()
        .map(file -> DynamicTest.dynamicTest(file.getKey().toString(), () -> isCurrent(file)));
  }

  private static void isCurrent(Map.Entry<Path, String> file) throws IOException {
    Path path = ROOT.resolve(file.getKey());
    assertThat(path).as("run `make crds` to generate it").exists();
    assertThat(Files.readString(path))
        .as("%s does not match the types; run `make crds` and commit it", file.getKey())
        .isEqualTo(file.getValue());
  }
}
