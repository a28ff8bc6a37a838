package io.berth.webhook.argument;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.berth.crds.ParameterType;
import io.berth.webhook.error.Problem;
import io.berth.webhook.error.Quoted;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;

/**
 * Any text as an annotation results in values of the declared types, or in problems with readable
 * messages.
 */
class ArgumentParserFuzzTest {

  private static final Parameters PARAMETERS = parameters();

  // Fuzzing runs for five minutes, which is the default timeout of a test.
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  @FuzzTest(maxDuration = "5m")
  void parsesOrRefuses(FuzzedDataProvider data) {
    ArgumentParser parser = new ArgumentParser();
    List<String> configs = data.consumeBoolean() ? List.of("a") : List.of("a", "b");
    String text = data.consumeRemainingAsString();

    switch (parser.names("nsc", text)) {
      case RefusedArguments refused -> assertReadable(refused.problems());
      case NamedConfigs named -> assertThat(named.names()).isNotEmpty().doesNotHaveDuplicates();
    }
    switch (parser.parse("NodeSchedulerConfig", "nsc-args", Optional.of(text), configs)) {
      case RefusedArguments refused -> assertReadable(refused.problems());
      case ArgumentsByConfig parsed -> {
        assertThat(parsed.byConfig()).containsOnlyKeys(configs);
        parsed.byConfig().values().forEach(ArgumentParserFuzzTest::check);
      }
    }
  }

  private static void check(GivenArguments given) {
    switch (PARAMETERS.check(given)) {
      case RefusedArguments refused -> assertReadable(refused.problems());
      case Arguments arguments -> {
        for (DeclaredParameter parameter : PARAMETERS.list()) {
          arguments
              .value(parameter.name())
              .ifPresent(value -> assertThat(value).isInstanceOf(type(parameter.type())));
        }
      }
    }
  }

  private static Class<?> type(ParameterType type) {
    return switch (type) {
      case STRING -> String.class;
      case INTEGER -> Long.class;
      case BOOLEAN -> Boolean.class;
      case STRING_LIST -> List.class;
    };
  }

  private static void assertReadable(List<Problem> problems) {
    assertThat(problems).isNotEmpty();
    for (Problem problem : problems) {
      assertThat(problem.path()).startsWith("metadata.annotations[");
      assertThat(problem.message().codePoints()).noneMatch(Quoted::isInvisible);
    }
  }

  private static Parameters parameters() {
    var list = JsonNodeFactory.instance.arrayNode();
    list.addObject().put("name", "S").put("pattern", "[a-z]*");
    list.addObject().put("name", "N").put("type", "integer").put("minimum", 1);
    list.addObject().put("name", "B").put("type", "boolean");
    list.addObject().put("name", "L").put("type", "stringList");
    JsonNode declarations = list;
    return (Parameters) Parameters.read(declarations, "spec.parameters");
  }
}
