package io.berth.webhook.argument;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArgumentParserTest {

  private static final String ANNOTATION = "scb.sched.cloud.ctrip.com/nsc-args";
  private static final String PLACE = "metadata.annotations[" + ANNOTATION + "]";

  private final ArgumentParser parser = new ArgumentParser();
  private final Parameters parameters = parameters();

  private static Parameters parameters() {
    var list = JsonNodeFactory.instance.arrayNode();
    list.addObject().put("name", "PrefferredPool").put("required", true);
    list.addObject()
        .put("name", "Tier")
        .put("default", "basic")
        .putArray("enum")
        .add("basic")
        .add("gold");
    list.addObject()
        .put("name", "Weight")
        .put("type", "integer")
        .put("minimum", 1)
        .put("maximum", 100);
    return (Parameters) Parameters.read(list, "spec.parameters");
  }

  private ParsedArguments parsed(String text, String... configs) {
    return parser.parse("NodeSchedulerConfig", ANNOTATION, Optional.of(text), List.of(configs));
  }

  private CheckedArguments checked(String text) {
    ArgumentsByConfig parsed = (ArgumentsByConfig) parsed(text, "pool");
    return parameters.check(parsed.byConfig().values().iterator().next());
  }

  private Problem refused(String text) {
    assertThat(checked(text)).isInstanceOf(RefusedArguments.class);
    List<Problem> problems = ((RefusedArguments) checked(text)).problems();
    assertThat(problems).hasSize(1);
    return problems.getFirst();
  }

  @Test
  void arguments_areTypedAndDefaultsFilledIn() {
    assertThat(checked("{\"PrefferredPool\":\"A\",\"Weight\":5}"))
        .isInstanceOfSatisfying(
            Arguments.class,
            arguments -> {
              assertThat(arguments.value("PrefferredPool")).contains("A");
              assertThat(arguments.value("Weight")).contains(5L);
              assertThat(arguments.value("Tier")).contains("basic");
            });
  }

  @Test
  void anUnknownArgument_isAnsweredWithTheNearest() {
    Problem problem = refused("{\"PrefferredPool\":\"A\",\"Weigth\":5}");

    assertThat(problem.code()).isEqualTo(ErrorCode.ARGUMENT_UNKNOWN);
    assertThat(problem.path()).isEqualTo(PLACE);
    assertThat(problem.message())
        .isEqualTo(
            "\"Weigth\" is not a parameter of NodeSchedulerConfig pool, which accepts"
                + " PrefferredPool, Tier, Weight; did you mean \"Weight\"?");
  }

  @Test
  void aMissingArgument_saysWhatItTakes() {
    Problem problem = refused("{}");

    assertThat(problem.code()).isEqualTo(ErrorCode.ARGUMENT_MISSING);
    assertThat(problem.message())
        .isEqualTo("NodeSchedulerConfig pool requires the argument \"PrefferredPool\": a string");
  }

  @Test
  void aWrongType_saysHowToWriteIt() {
    Problem problem = refused("{\"PrefferredPool\":\"A\",\"Weight\":\"5\"}");

    assertThat(problem.code()).isEqualTo(ErrorCode.ARGUMENT_TYPE);
    assertThat(problem.path()).isEqualTo(PLACE + ".Weight");
    assertThat(problem.message())
        .isEqualTo("must be an integer, not the string \"5\": write 5 without quotes");
  }

  @Test
  void aValueThatIsNotAcceptedListsThoseThatAre() {
    assertThat(refused("{\"PrefferredPool\":\"A\",\"Tier\":\"glod\"}").message())
        .isEqualTo(
            "\"glod\" is not accepted; accepted: \"basic\", \"gold\"; did you mean \"gold\"?");
    assertThat(refused("{\"PrefferredPool\":\"A\",\"Weight\":101}").message())
        .isEqualTo("101 is greater than the maximum, 100");
  }

  @Test
  void argumentsOfSeveralConfigs_areKeyedByTheirNames() {
    assertThat(parsed("{\"a\":{\"X\":1}}", "a", "b"))
        .isInstanceOfSatisfying(
            ArgumentsByConfig.class,
            parsed -> {
              assertThat(parsed.byConfig()).containsOnlyKeys("a", "b");
              assertThat(parsed.byConfig().values())
                  .extracting(GivenArguments::place)
                  .containsExactly(PLACE + ".a", PLACE + ".b");
            });
    assertThat(parsed("{\"aa\":{}}", "ab", "b"))
        .isInstanceOfSatisfying(
            RefusedArguments.class,
            refused ->
                assertThat(refused.problems().getFirst().message())
                    .isEqualTo(
                        "\"aa\" is not a config that the pod names; with several configs, arguments"
                            + " are keyed by config name: {\"ab\": {...}, \"b\": {...}}; did you"
                            + " mean \"ab\"?"));
  }

  @Test
  void whatIsNotJson_isAnsweredWithLineAndColumn() {
    assertThat(parsed("{\"A\": x}", "pool"))
        .isInstanceOfSatisfying(
            RefusedArguments.class,
            refused ->
                assertThat(refused.problems().getFirst().text())
                    .startsWith(
                        "BERTH-1101 at "
                            + PLACE
                            + ": is not valid JSON: line 1, column 8; write an object"));
  }

  @Test
  void configNames_areSeparatedByCommas() {
    assertThat(parser.names("nsc", "a, b.c")).isEqualTo(new NamedConfigs(List.of("a", "b.c")));
    assertThat(parser.names("nsc", "a,,b")).isInstanceOf(RefusedArguments.class);
    assertThat(parser.names("nsc", "a,a")).isInstanceOf(RefusedArguments.class);
    assertThat(parser.names("nsc", "A")).isInstanceOf(RefusedArguments.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "1e1 ~ BERTH-1105 ~ must be an integer, not the number 1E+1: write it as 10",
        "10.0 ~ BERTH-1105 ~ must be an integer, not the number 10.0: write it as 10",
        "1e400 ~ BERTH-1105 ~ must be an integer, not the number 1E+400",
        "1e999999999 ~ BERTH-1105 ~ must be an integer, not the number 1E+999999999",
        "9223372036854775808 ~ BERTH-1106 ~ 9223372036854775808 is greater than the maximum, 100",
        "-9223372036854775809 ~ BERTH-1106 ~ -9223372036854775809 is less than the minimum, 1",
      })
  void aNumberThatIsNoInteger_saysHowToWriteIt(String number, String code, String message) {
    Problem problem = refused("{\"PrefferredPool\":\"A\",\"Weight\":" + number + "}");

    assertThat(problem.code().id()).isEqualTo(code);
    assertThat(problem.message()).isEqualTo(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      value = {
        "{PrefferredPool: A}",
        "{'PrefferredPool': 'A'}",
        "{\"A\":1,\"A\":2}",
        "{\"A\":01}",
        "{\"A\":NaN}",
        "{\"A\":1} x",
        "{\"A\":",
        "{\"A\":\"\\q\"}",
        "[[[[[[[[[[1]]]]]]]]]]",
      })
  void theJsonLibrarysOwnWordsStayOut(String text) {
    assertThat(parsed(text, "pool"))
        .isInstanceOfSatisfying(
            RefusedArguments.class,
            refused ->
                assertThat(refused.problems().getFirst().message())
                    .doesNotContainIgnoringCase("token")
                    .doesNotContain(
                        "code ", "Duplicate field", "Unexpected", "StreamRead", "nesting depth"));
  }

  @Test
  void anEmptyString_isNoArgument() {
    Problem problem = refused("{\"PrefferredPool\":\"\"}");

    assertThat(problem.code()).isEqualTo(ErrorCode.ARGUMENT_MISSING);
    assertThat(problem.message()).endsWith("; an empty string counts as not given");
  }
}
