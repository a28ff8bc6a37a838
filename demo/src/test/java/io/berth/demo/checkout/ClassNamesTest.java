package io.berth.demo.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.demo.cluster.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The names of classes in pages and in links of Javadoc, which refer to classes that exist. */
class ClassNamesTest {

  /** Names of other projects in the pages. */
  private static final Set<String> OF_OTHERS =
      Set.of(
          "GenericWorkload",
          "NominatedNodeNameForExpectation",
          "PodCertificateRequest",
          "RoleList",
          "StorageCapacityScoring",
          "UnsupportedClassVersionError",
          "ValidatingWebhookConfigurations",
          "WorkloadWithJob");

  /** A generated page, and one about the names of other projects. */
  private static final Set<String> OMITTED = Set.of("api-reference.md", "compatibility.md");

  private static final Pattern IN_PAGE =
      Pattern.compile("`([A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+)(?:\\.\\w+(?:\\(\\))?)?`");

  private static final Pattern CODE = Pattern.compile("```.*?```", Pattern.DOTALL);
  private static final Pattern WORD = Pattern.compile("\\w+");
  private static final Pattern TEXT = Pattern.compile("\"(?:[^\"\\\\\\n]++|\\\\.)*+\"");

  private static final Pattern DECLARED =
      Pattern.compile("\\b(?:class|record|interface|enum)\\s+([A-Z]\\w+)");

  private static final Pattern LINK =
      Pattern.compile("\\{@link(?:plain)?[\\s*]+io\\.berth\\.(?:[a-z]\\w*\\.)*([A-Z]\\w*)");

  /** The declared classes. */
  private static final Set<String> CLASSES = new HashSet<>();

  /** The words of texts in sources and of manifests, such as reasons of events. */
  private static final Set<String> WORDS = new HashSet<>();

  @BeforeAll
  static void read() throws IOException {
    for (Path source : files("", ".java")) {
      String text = Files.readString(source);
      DECLARED.matcher(text).results().forEach(found -> CLASSES.add(found.group(1)));
      TEXT.matcher(text).results().forEach(found -> addWords(found.group()));
    }
    for (Path manifest : files("deploy", ".yaml")) {
      addWords(Files.readString(manifest));
    }
  }

  private static void addWords(String text) {
    WORD.matcher(text).results().forEach(found -> WORDS.add(found.group()));
  }

  private static List<Path> files(String folder, String suffix) throws IOException {
    Path root = Checkout.find().root();
    try (Stream<Path> files = Files.walk(root.resolve(folder))) {
      return files
          .filter(file -> file.toString().endsWith(suffix))
          .filter(file -> !root.relativize(file).toString().contains("target/"))
          .filter(file -> !file.endsWith("ClassNamesTest.java"))
          .sorted()
          .toList();
    }
  }

  private static boolean exists(String name, String page) {
    return CLASSES.contains(name)
        || WORDS.contains(name)
        || OF_OTHERS.contains(name)
        || CODE.matcher(page).results().anyMatch(code -> code.group().contains(name));
  }

  /** Returns the names of classes in a page that do not exist. */
  private static List<String> unknown(String page) {
    return IN_PAGE
        .matcher(CODE.matcher(page).replaceAll(""))
        .results()
        .map(found -> found.group(1))
        .filter(name -> !exists(name, page))
        .toList();
  }

  @Test
  void names_inPages_areOfClassesOrWords() throws IOException {
    List<String> unknown = new ArrayList<>();
    for (Path page : files("docs", ".md")) {
      if (!OMITTED.contains(page.getFileName().toString())) {
        unknown(Files.readString(page)).forEach(name -> unknown.add(page + ": " + name));
      }
    }

    assertThat(unknown).as("write the name of the class as it is now").isEmpty();
    assertThat(unknown("`EngineFeed`, `LeftFormerly` and `GroupRef.name()`"))
        .containsExactly("LeftFormerly");
  }

  @Test
  void links_ofJavadoc_leadToClasses() throws IOException {
    List<String> broken = new ArrayList<>();
    int seen = 0;
    for (Path source : files("", ".java")) {
      Matcher link = LINK.matcher(Files.readString(source));
      while (link.find()) {
        seen++;
        if (!CLASSES.contains(link.group(1))) {
          broken.add(source + ": " + link.group(1));
        }
      }
    }

    assertThat(broken).isEmpty();
    assertThat(seen).isPositive();
  }
}
