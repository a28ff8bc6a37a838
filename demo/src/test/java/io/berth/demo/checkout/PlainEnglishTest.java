package io.berth.demo.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.demo.cluster.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The language of pages, Javadoc, and names: plain English, without words that are typical of
 * translated texts.
 */
class PlainEnglishTest {

  /** Words in translated texts for which plain English has simpler ones. */
  private static final Pattern TELL_TALE =
      Pattern.compile(
          "\\b(told|anew|of old|of ours|dear|dearer|slips?|whoever|the pod's like|in one breath"
              + "|for ever|what came of it|where they stand|is the brake)\\b",
          Pattern.CASE_INSENSITIVE);

  /** Words in names for which the field has other terms, or plain English has simpler ones. */
  private static final Set<String> NOT_IN_NAMES =
      Set.of("told", "anew", "whoever", "promise", "promised", "promises", "consult", "contest");

  /** Comments and literals, which are not names, and names. */
  private static final Pattern NAME =
      Pattern.compile(
          "/\\*.*?\\*/|//[^\\n]*+|\"\"\"(?:[^\"\\\\]++|\\\\.|\"(?!\"\"))*+\"\"\""
              + "|\"(?:[^\"\\\\]++|\\\\.)*+\"|'(?:[^'\\\\]++|\\\\.)*+'|(?<name>[A-Za-z_]\\w*+)",
          Pattern.DOTALL);

  private static final Pattern WORD = Pattern.compile("[A-Z]?[a-z]+|[A-Z]+(?![a-z])");

  private static final Pattern JAVADOC = Pattern.compile("/\\*\\*(.*?)\\*/", Pattern.DOTALL);

  /** A first sentence that is a question. */
  private static final Pattern QUESTION =
      Pattern.compile("^(What|How|Who|Whose|Whether|Which|Where|Why|When)\\b");

  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:\\s\\[]+)(?:#[^)]*)?\\)");

  private static final Pattern INLINE_CODE = Pattern.compile("`[^`\\n]+`");

  /** A generated page with one line for each description. */
  private static final String GENERATED = "api-reference.md";

  private static final int LONGEST_LINE = 120;

  private static Path root() {
    return Checkout.find().root();
  }

  private static List<Path> files(Path folder, String suffix) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(file -> file.toString().endsWith(suffix))
          .filter(file -> !file.toString().contains("/target/"))
          .sorted()
          .toList();
    }
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>(files(root().resolve("docs"), ".md"));
    pages.addAll(files(root().resolve("samples"), ".md"));
    pages.addAll(files(root().resolve("deploy"), ".md"));
    try (Stream<Path> top = Files.list(root())) {
      top.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
    }
    return pages;
  }

  @Test
  void pages_haveNoTellTaleWord() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path page : pages()) {
      for (String line : Files.readAllLines(page)) {
        Matcher matcher = TELL_TALE.matcher(line);
        if (matcher.find()) {
          found.add(root().relativize(page) + ": \"" + matcher.group() + "\" in: " + line);
        }
      }
    }

    assertThat(found).as("say it in plain English").isEmpty();
  }

  @Test
  void pages_wrapTheirLines() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path page : pages()) {
      if (page.endsWith(GENERATED)) {
        continue;
      }
      boolean code = false;
      for (String line : Files.readAllLines(page)) {
        code ^= line.strip().startsWith("```");
        boolean wrappable =
            !code && !line.startsWith("|") && !line.startsWith("#") && !line.contains("](");
        if (wrappable && line.length() > LONGEST_LINE) {
          found.add(root().relativize(page) + ": " + line);
        }
      }
    }

    assertThat(found).as("lines of more than %d characters", LONGEST_LINE).isEmpty();
  }

  @Test
  void links_leadToFiles() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path page : pages()) {
      Matcher matcher = LINK.matcher(INLINE_CODE.matcher(Files.readString(page)).replaceAll(""));
      while (matcher.find()) {
        if (!Files.exists(page.resolveSibling(matcher.group(1)))) {
          broken.add(root().relativize(page) + ": " + matcher.group(1));
        }
      }
    }

    assertThat(broken).isEmpty();
  }

  static List<String> modules() {
    return List.of(
        "pod-rules",
        "crds",
        "sandbox",
        "demo",
        "benchmarks",
        "webhook",
        "serving",
        "operator",
        "scheduler-engine",
        "plugin");
  }

  @ParameterizedTest
  @MethodSource("modules")
  void javadoc_saysWhatAThingIs(String module) throws IOException {
    List<String> found = new ArrayList<>();
    for (Path file : files(root().resolve(module), ".java")) {
      Matcher comment = JAVADOC.matcher(Files.readString(file));
      while (comment.find()) {
        String text = comment.group(1).replaceAll("\\s*\\n\\s*\\*\\s*", " ").strip();
        if (QUESTION.matcher(text).find() || TELL_TALE.matcher(text).find()) {
          found.add(root().relativize(file) + ": " + text);
        }
      }
    }

    assertThat(found)
        .as("begin Javadoc with a noun phrase or a verb in the third person")
        .isEmpty();
  }

  @ParameterizedTest
  @MethodSource("modules")
  void names_useTheTermsOfTheField(String module) throws IOException {
    List<String> found = new ArrayList<>();
    for (Path file : files(root().resolve(module), ".java")) {
      NAME.matcher(Files.readString(file))
          .results()
          .map(match -> match.group("name"))
          .filter(name -> name != null && hasWordToAvoid(name))
          .distinct()
          .forEach(name -> found.add(root().relativize(file) + ": " + name));
    }

    assertThat(found).as("names with other words than the field's").isEmpty();
  }

  private static boolean hasWordToAvoid(String name) {
    return WORD.matcher(name)
        .results()
        .anyMatch(word -> NOT_IN_NAMES.contains(word.group().toLowerCase(Locale.ROOT)));
  }
}
