package io.berth.demo.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.demo.cluster.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The form of test names in all modules: clauses in camel case, joined by underscores. */
class TestNamesTest {

  private static final Pattern TEST =
      Pattern.compile(
          "@(?:Test|ParameterizedTest|Property|TestFactory|RepeatedTest|FuzzTest)\\b[^;{}]*?"
              + "\\s(\\w+)\\s*\\(",
          Pattern.DOTALL);

  private static final Pattern CLAUSES =
      Pattern.compile("[a-z][A-Za-z0-9]*(_[a-z0-9][A-Za-z0-9]*)*");

  /** Single words joined by underscores. */
  private static final Pattern SNAKE = Pattern.compile("[a-z0-9]+(_[a-z0-9]+){2,}");

  private static List<Path> tests() throws IOException {
    try (Stream<Path> files = Files.walk(Checkout.find().root())) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> file.toString().contains("/src/test/java/"))
          .sorted()
          .toList();
    }
  }

  @Test
  void testNames_areClausesInCamelCase() throws IOException {
    List<String> others = new ArrayList<>();
    int seen = 0;
    for (Path file : tests()) {
      Matcher test = TEST.matcher(Files.readString(file));
      while (test.find()) {
        seen++;
        String name = test.group(1);
        if (!CLAUSES.matcher(name).matches() || SNAKE.matcher(name).matches()) {
          others.add(file.getFileName() + ": " + name);
        }
      }
    }

    assertThat(others).as("write subjectOfTheTest_whatItDoes_andWhen").isEmpty();
    assertThat(seen).as("tests that were found").isGreaterThan(1_000);
  }
}
