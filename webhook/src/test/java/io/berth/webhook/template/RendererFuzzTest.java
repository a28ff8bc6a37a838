package io.berth.webhook.template;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.webhook.argument.Arguments;
import io.berth.webhook.argument.DeclaredParameter;
import io.berth.webhook.argument.GivenArguments;
import io.berth.webhook.error.Problem;
import io.berth.webhook.error.Quoted;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;

/**
 * Any string as a template and any strings as arguments are handled within the budget, without
 * exceptions, and without changes to the structure of the tree.
 */
class RendererFuzzTest {

  private static final TemplateCompiler COMPILER = new TemplateCompiler();

  // Fuzzing runs for five minutes, which is the default timeout of a test.
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  @FuzzTest(maxDuration = "5m")
  void rendersOrRefuses(FuzzedDataProvider data) {
    String condition = data.consumeString(60);
    String value = data.consumeString(200);
    ObjectNode spec = JsonNodeFactory.instance.objectNode();
    ObjectNode toleration = spec.putArray("tolerations").addObject();
    toleration.put("key", "k").put("value", value).put("$if", "${" + condition + "}");

    switch (COMPILER.compile(TemplateKind.NODE, spec)) {
      case InvalidTemplate invalid -> assertReadable(invalid.problems());
      case CompiledTemplate template -> render(template, data);
    }
  }

  private static void render(CompiledTemplate template, FuzzedDataProvider data) {
    ObjectNode given = JsonNodeFactory.instance.objectNode();
    for (DeclaredParameter parameter : template.parameters().list()) {
      given.put(parameter.name(), data.consumeString(80));
    }
    var checked =
        template.parameters().check(new GivenArguments("NodeSchedulerConfig c", "args", given));
    if (!(checked instanceof Arguments arguments)) {
      return;
    }
    Budget budget = new Budget();
    Scope scope = new PodScope(template.parameters(), arguments, Configs.POD);
    switch (template.render(scope, budget)) {
      case RenderingRefused refused -> assertReadable(refused.problems());
      case Rendered rendered -> {
        assertThat(budget.stepsTaken()).isLessThanOrEqualTo(RenderLimits.STEPS);
        for (JsonNode toleration : rendered.fields().path("tolerations")) {
          assertThat(toleration.size()).isEqualTo(2);
          assertThat(toleration.path("key").textValue()).isEqualTo("k");
          assertThat(toleration.path("value").isTextual()).isTrue();
        }
      }
    }
  }

  private static void assertReadable(List<Problem> problems) {
    assertThat(problems).isNotEmpty();
    for (Problem problem : problems) {
      assertThat(problem.path()).startsWith("spec.");
      assertThat(problem.message().codePoints()).noneMatch(Quoted::isInvisible);
    }
  }
}
