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
import java.util.List;
import java.util.regex.MatchResult;
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

/** Compiles and runs all code in docs/writing-a-plugin.md. */
class WritingAPluginPageTest {
  private static final Pattern CODE = Pattern.compile("```(\\w+)\\n(.*?)```", Pattern.DOTALL);
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  @TempDir Path classes;

  private static String page() throws IOException {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("docs/writing-a-plugin.md"))) {
      folder = folder.getParent();
      assertThat(folder).as("a folder with docs/writing-a-plugin.md").isNotNull();
    }
    return Files.readString(folder.resolve("docs/writing-a-plugin.md"));
  }

  private static List<String> code(String language) throws IOException {
    return CODE.matcher(page())
        .results()
        .filter(block -> block.group(1).equals(language))
        .map((MatchResult block) -> block.group(2))
        .toList();
  }

  /** Compiles the page's classes: the plugin, its test, and a class around the registration. */
  private ClassLoader compiled() throws IOException {
    List<String> java = code("java");
    assertThat(java).hasSize(3);
    String registration =
        """
        package io.berth.engine.plugins;

        public final class Registration {
          public static io.berth.engine.policy.PluginRegistry registry() {
            return io.berth.engine.policy.PluginRegistry.standard()
        %s
          }
        }
        """
            .formatted(java.get(1));
    List<JavaFileObject> sources =
        List.of(
            source("DeviceReserve", java.get(0)),
            source("Registration", registration),
            source("DeviceReserveTest", java.get(2)));
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
  @SuppressWarnings("unchecked") // The methods of the page's test return streams of tests.
  Stream<DynamicTest> testOfThePagePasses() throws Exception {
    Class<?> type = compiled().loadClass("io.berth.engine.plugins.DeviceReserveTest");
    Object test = type.getConstructor().newInstance();
    Stream<DynamicTest> verdicts = (Stream<DynamicTest>) type.getMethod("verdicts").invoke(test);
    Stream<DynamicTest> scores = (Stream<DynamicTest>) type.getMethod("scores").invoke(test);
    return Stream.concat(verdicts, scores);
  }

  @Test
  void policyOfThePage_givesTheVerdictOfThePage() throws Exception {
    PluginRegistry registry =
        (PluginRegistry)
            compiled()
                .loadClass("io.berth.engine.plugins.Registration")
                .getMethod("registry")
                .invoke(null);
    SchedulingPolicySpec spec =
        new ObjectMapper(new YAMLFactory())
            .readValue(code("yaml").getFirst(), SchedulingPolicySpec.class);
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
        .isEqualTo(code("text").getFirst().strip());
  }

  @Test
  void page_keepsItsPromiseOfFortyLines() throws IOException {
    long lines =
        code("java")
            .getFirst()
            .lines()
            .filter(line -> !line.isBlank() && !line.startsWith("import"))
            .count();

    assertThat(lines).isLessThanOrEqualTo(40);
  }
}
