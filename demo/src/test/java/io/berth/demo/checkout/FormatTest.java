package io.berth.demo.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.googlejavaformat.java.Main;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The format of all sources, which is that of google-java-format. This test does not modify files.
 */
class FormatTest {

  private static final Path ROOT = Path.of("..");

  @Test
  void everySource_isFormatted() throws Exception {
    StringWriter unformatted = new StringWriter();
    StringWriter errors = new StringWriter();
    try (PrintWriter out = new PrintWriter(unformatted);
        PrintWriter err = new PrintWriter(errors)) {
      new Main(out, err, InputStream.nullInputStream())
          .format(Stream.concat(Stream.of("--dry-run"), sources().stream()).toArray(String[]::new));
    }

    assertThat(unformatted.toString().lines())
        .as("sources that are not formatted; run `make format`")
        .isEmpty();
    assertThat(errors.toString()).isEmpty();
  }

  private static List<String> sources() throws Exception {
    try (Stream<Path> modules = Files.list(ROOT)) {
      List<Path> roots =
          modules.map(module -> module.resolve("src")).filter(Files::isDirectory).toList();
      assertThat(roots).hasSizeGreaterThan(5);
      return roots.stream().flatMap(FormatTest::javaFiles).map(Path::toString).toList();
    }
  }

  private static Stream<Path> javaFiles(Path root) {
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
