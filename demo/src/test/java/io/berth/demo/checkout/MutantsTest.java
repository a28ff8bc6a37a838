package io.berth.demo.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The patches of .ci/mutants apply to the sources as they are. */
class MutantsTest {
  private static final Path ROOT = Path.of("..");

  static List<Path> patches() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("src", "test", "mutants"))) {
      return files.sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("patches")
  void patch_findsTheLinesThatItReplaces(Path patch) throws IOException {
    String source = "";
    List<String> expected = new ArrayList<>();
    for (String line : Files.readAllLines(patch)) {
      if (line.startsWith("--- a/") || line.startsWith("@@")) {
        assertThat(source).contains(String.join("\n", expected));
        expected.clear();
      }
      if (line.startsWith("--- a/")) {
        source = Files.readString(ROOT.resolve(line.substring("--- a/".length())));
      } else if (line.startsWith(" ") || line.startsWith("-")) {
        expected.add(line.substring(1));
      }
    }
    assertThat(source).isNotEmpty().contains(String.join("\n", expected));
  }

  @ParameterizedTest
  @MethodSource("patches")
  void fault_isListedInTheDocumentation(Path patch) throws IOException {
    String name = patch.getFileName().toString().replace(".patch", "");

    assertThat(Files.readAllLines(ROOT.resolve("docs").resolve("simulation.md")))
        .anyMatch(line -> line.startsWith("| `" + name + "` |"));
  }
}
