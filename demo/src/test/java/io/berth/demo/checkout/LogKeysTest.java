package io.berth.demo.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.demo.cluster.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The keys of log lines: a line that names a pod, a node, a policy, or an error code has it as a
 * key as well, as docs/runbook.md promises.
 */
class LogKeysTest {

  /** Texts, characters, and comments, whose semicolons and braces end no statement. */
  private static final Pattern LITERAL =
      Pattern.compile(
          "\"\"\".*?\"\"\"|\"(?:[^\"\\\\\\n"
              + "]++|\\\\.)*+\"|'(?:[^'\\\\]|\\\\.[^']*)'|//[^\\n"
              + "]*|/\\*.*?\\*/",
          Pattern.DOTALL);

  private static final Pattern LOGS =
      Pattern.compile("\\bLOG\\b|\\blog\\(\\)\\s*\\.\\s*(error|warn|info|debug|trace)\\b");

  /** The ways in which a statement names a subject, and those in which it sets the key. */
  private static final Map<Pattern, Pattern> KEYS = new LinkedHashMap<>();

  static {
    String object = "LogKeys\\.object\\(|\\b(keys\\(\\)|about)\\s*\\.\\s*(warn|debug)\\(";
    KEYS.put(names("pod", "\\.pod\\(\\)|\\.ref\\(\\)"), sets("LogKeys\\.pod\\(|" + object));
    KEYS.put(names("node", "nodeName\\(\\)"), sets("\\.(node|andNode)\\(|" + object));
    KEYS.put(names("policy", "\\.policy\\(\\)"), sets("\\.(policy|andPolicy)\\(|" + object));
    KEYS.put(
        Pattern.compile("(Problem|problem|mistake)(::|\\.)(text|where|code)\\b"),
        sets("LogKeys\\.code\\(|\\.andCodes\\("));
  }

  /** A placeholder after the word, in any part of the text, or an argument. */
  private static Pattern names(String word, String argument) {
    return Pattern.compile(
        "(?i:\\b(Scheduling)?" + word + " \\\\?\"?(\\{\\}|%s|\" \\+ ))|" + argument);
  }

  private static Pattern sets(String key) {
    return Pattern.compile(key);
  }

  private static List<Path> sources() throws IOException {
    List<Path> sources = new ArrayList<>();
    for (String module : List.of("operator", "webhook")) {
      try (Stream<Path> files = Files.walk(Checkout.find().root().resolve(module + "/src/main"))) {
        files.filter(file -> file.toString().endsWith(".java")).sorted().forEach(sources::add);
      }
    }
    return sources;
  }

  /**
   * Returns the statements that log, each on one line, with joined strings. A block within a
   * statement divides it.
   */
  private static List<String> logging(String source) {
    String hidden =
        LITERAL
            .matcher(source)
            .replaceAll(
                found ->
                    found.group().startsWith("/")
                        ? " "
                        : Matcher.quoteReplacement(
                            found
                                .group()
                                .replace('{', '\u0001')
                                .replace('}', '\u0002')
                                .replace(';', '\u0003')));
    return Pattern.compile("[;{}]")
        .splitAsStream(hidden)
        .map(it -> it.replace('\u0001', '{').replace('\u0002', '}').replace('\u0003', ';'))
        .map(it -> it.replaceAll("\\s+", " ").replace("\" + \"", ""))
        .filter(statement -> LOGS.matcher(statement).find())
        .toList();
  }

  /** Returns whether a statement names a subject without its key. */
  private static boolean lacksKey(String statement) {
    return KEYS.entrySet().stream()
        .anyMatch(
            entry ->
                entry.getKey().matcher(statement).find()
                    && !entry.getValue().matcher(statement).find());
  }

  @Test
  void linesAboutAPodANodeAPolicyOrACode_haveTheKey() throws IOException {
    List<String> lacking = new ArrayList<>();
    int seen = 0;
    for (Path file : sources()) {
      for (String statement : logging(Files.readString(file))) {
        seen++;
        if (lacksKey(statement)) {
          lacking.add(file.getFileName() + ": " + statement.strip());
        }
      }
    }

    assertThat(lacking).as("add the subject as a key, with LogKeys").isEmpty();
    assertThat(seen).as("statements that log").isGreaterThan(100);
  }

  @Test
  void statementsWithoutKeys_areFound() {
    String source =
        """
        void a() {
          LOG.warn("Node {} could not be; verified", node);
          LOG.info("Evicted " + "pod {}", victim); // of {
          LOG.info("Watching {} nodes, {} pods", nodes, pods);
          log.line("k", "The lock of node %s is kept".formatted(name)).ifPresent(LOG::warn);
          LogKeys.node(name).warn(LOG).accept("Node %s".formatted(name));
          LogKeys.node(name).warn(LOG).accept("Pod %s on node %s".formatted(pod, name));
          LOG.debug("{}", mistake.text());
        }
        """;

    assertThat(logging(source)).hasSize(7);
    assertThat(logging(source).stream().filter(LogKeysTest::lacksKey)).hasSize(5);
  }

  @Test
  void runbook_listsTheKeys() throws IOException {
    String keys =
        Files.readString(
            Checkout.find()
                .root()
                .resolve("operator/src/main/java/io/berth/operator/api/LogKeys.java"));
    String runbook = Files.readString(Checkout.find().root().resolve("docs/runbook.md"));
    Matcher key = Pattern.compile("with\\(\\s*\"(\\w+)\"").matcher(keys);
    List<String> listed = new ArrayList<>();
    while (key.find()) {
      listed.add(key.group(1));
      assertThat(runbook).contains("`" + key.group(1) + "`");
    }

    assertThat(listed).contains("pod", "node", "policy", "code");
  }
}
