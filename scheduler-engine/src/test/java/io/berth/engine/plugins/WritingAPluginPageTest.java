package io.berth.engine.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.Engine;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Outcome;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.policy.PluginRegistry;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Compiles and runs all code of the pages about plugins. */
class WritingAPluginPageTest {
  private static final Pattern CODE = Pattern.compile("```(\\w+)\\n(.*?)```", Pattern.DOTALL);
  private static final Pattern TYPE = Pattern.compile("public (?:record|class|final class) (\\w+)");
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final String SIMPLE = "docs/writing-a-plugin.md";
  private static final String STATEFUL = "docs/writing-a-stateful-plugin.md";

  @TempDir Path classes;

  private static String text(String file) throws IOException {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve(file))) {
      folder = folder.getParent();
      assertThat(folder).as("a folder with %s", file).isNotNull();
    }
    return Files.readString(folder.resolve(file));
  }

  private static List<String> code(String page, String language) throws IOException {
    return CODE.matcher(text(page))
        .results()
        .filter(block -> block.group(1).equals(language))
        .map((MatchResult block) -> block.group(2))
        .toList();
  }

  /** Compiles the classes of a page, and a class around the registration, if it has one. */
  private ClassLoader compiled(String page) throws IOException {
    return compiled(page, List.of());
  }

  private ClassLoader compiled(String page, List<JavaFileObject> others) throws IOException {
    List<JavaFileObject> sources = new ArrayList<>();
    for (String java : code(page, "java")) {
      Matcher type = TYPE.matcher(java);
      if (type.find()) {
        sources.add(source(type.group(1), java));
      } else {
        sources.add(source("Registration", registration(java)));
      }
    }
    assertThat(sources).hasSize(3);
    sources.addAll(others);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      boolean good =
          compiler
              .getTask(
                  null,
                  files,
                  problem -> {
                    throw new AssertionError(problem.toString());
                  },
                  List.of("-d", classes.toString(), "-proc:none"),
                  null,
                  sources)
              .call();
      assertThat(good).isTrue();
    }
    return new URLClassLoader(new URL[] {classes.toUri().toURL()}, getClass().getClassLoader());
  }

  private static String registration(String calls) {
    return """
    package io.berth.engine.plugins;

    public final class Registration {
      public static io.berth.engine.policy.PluginRegistry registry() {
        return io.berth.engine.policy.PluginRegistry.standard()
    %s
      }
    }
    """
        .formatted(calls);
  }

  private static JavaFileObject source(String name, String text) {
    return new SimpleJavaFileObject(
        URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return text;
      }
    };
  }

  @TestFactory
  Stream<DynamicTest> testOfTheSimplePlugin_passes() throws Exception {
    return tests(SIMPLE, "DeviceReserveTest");
  }

  @TestFactory
  Stream<DynamicTest> testOfTheStatefulPlugins_passes() throws Exception {
    return tests(STATEFUL, "PodsPerDomainTest");
  }

  @SuppressWarnings("unchecked") // The methods of the pages' tests return streams of tests.
  private Stream<DynamicTest> tests(String page, String name) throws Exception {
    Class<?> type = compiled(page).loadClass("io.berth.engine.plugins." + name);
    Object test = type.getConstructor().newInstance();
    Stream<DynamicTest> verdicts = (Stream<DynamicTest>) type.getMethod("verdicts").invoke(test);
    Stream<DynamicTest> scores = (Stream<DynamicTest>) type.getMethod("scores").invoke(test);
    return Stream.concat(verdicts, scores);
  }

  @Test
  void policyOfThePage_givesTheVerdictOfThePage() throws Exception {
    PluginRegistry registry =
        (PluginRegistry)
            compiled(SIMPLE)
                .loadClass("io.berth.engine.plugins.Registration")
                .getMethod("registry")
                .invoke(null);
    SchedulingPolicySpec spec =
        new ObjectMapper(new YAMLFactory())
            .readValue(code(SIMPLE, "yaml").getFirst(), SchedulingPolicySpec.class);
    PolicyCompilation compiled = new PolicyCompiler(registry).compile("page", "1", spec);
    assertThat(compiled).isInstanceOf(PolicyCompilation.Compiled.class);

    Engine engine = new Engine(EngineOptions.defaults());
    List.of(
            new ClusterEvent.PolicyServed(((PolicyCompilation.Compiled) compiled).policy()),
            new ClusterEvent.NodeUpserted(
                Nodes.node("rare").allocatable("example.com/fpga", 2).build()),
            new ClusterEvent.PodUpserted(Pods.pod("p").policy("page").build()))
        .forEach(event -> assertThat(engine.apply(event, NOW)).isEmpty());
    Outcome outcome = engine.next(NOW);

    assertThat(outcome).isInstanceOf(Decision.Unschedulable.class);
    assertThat(((Decision.Unschedulable) outcome).record().message())
        .isEqualTo(code(SIMPLE, "text").getFirst().strip());
  }

  /**
   * The stateful plugins after any series of events give every node the verdict and the score that
   * they give it in a new engine with the same nodes, pods, and modes.
   */
  @Test
  void statefulPlugins_answerAsInAnEngineThatIsRebuilt() throws Exception {
    CompiledPolicy policy = statefulPolicy();
    Set<String> modes = new HashSet<>();
    int refused = 0;
    int tried = 0;
    for (int seed = 0; seed < 12; seed++) {
      StatefulPluginsRun run = new StatefulPluginsRun(policy, new Random(seed));
      for (int step = 0; step < 150; step++) {
        run.step();
      }
      modes.addAll(run.modes());
      refused += run.refused();
      tried += run.tried();
    }

    assertThat(modes).containsExactlyInAnyOrder("Pack", "Spread");
    assertThat(refused).as("verdicts against a node").isGreaterThan(500);
    assertThat(tried).as("candidates of preemption").isGreaterThan(100);
  }

  private CompiledPolicy statefulPolicy() throws Exception {
    String calls =
        """
        .withFilter("PodsPerDomain", PodsPerDomain::read)
        .withScore("PackWhileIdle", PackWhileIdle::read);
        """;
    PluginRegistry registry =
        (PluginRegistry)
            compiled(STATEFUL, List.of(source("Registration", registration(calls))))
                .loadClass("io.berth.engine.plugins.Registration")
                .getMethod("registry")
                .invoke(null);
    SchedulingPolicySpec spec =
        new ObjectMapper(new YAMLFactory())
            .readValue(
                """
                predicates:
                - name: PodsPerDomain
                  args: {topologyKey: rack, most: 3}
                priorities:
                - name: PackWhileIdle
                  args: {packBelow: 30, spreadAbove: 60}
                """,
                SchedulingPolicySpec.class);
    PolicyCompilation compiled = new PolicyCompiler(registry).compile("page", "1", spec);
    assertThat(compiled).isInstanceOf(PolicyCompilation.Compiled.class);
    return ((PolicyCompilation.Compiled) compiled).policy();
  }

  @Test
  void page_keepsToFortyLines() throws IOException {
    long lines =
        code(SIMPLE, "java")
            .getFirst()
            .lines()
            .filter(line -> !line.isBlank() && !line.startsWith("import"))
            .count();

    assertThat(lines).isLessThanOrEqualTo(40);
  }

  @Test
  void whatTheAuthorOfAStatefulFilterMustRead_isShort() throws IOException {
    String framework = "scheduler-engine/src/main/java/io/berth/engine/framework/";

    long lines =
        text(STATEFUL).substring(0, text(STATEFUL).indexOf("## A score")).lines().count()
            + text(framework + "FilterPlugin.java").lines().count()
            + text(framework + "NodeFilter.java").lines().count();

    assertThat(lines).isLessThan(600);
  }
}
