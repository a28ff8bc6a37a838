package io.berth.webhook.template;

import static io.berth.webhook.template.Configs.compile;
import static io.berth.webhook.template.Configs.problems;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The problems that are found when a config is applied. */
class CompilingTest {

  private static final String PREFERENCE =
      """
      nodeAffinity:
        preferredDuringSchedulingIgnoredDuringExecution:
        - weight: "${Weight}"
          preference: {matchExpressions: [{key: k, operator: Exists}]}
      """;

  private static Problem only(String spec) {
    assertThat(problems(TemplateKind.NODE, spec)).hasSize(1);
    return problems(TemplateKind.NODE, spec).getFirst();
  }

  @Test
  void aStringWhereANumberBelongsSaysToDeclareItsType() {
    Problem problem = only(PREFERENCE);

    assertThat(problem.code()).isEqualTo(ErrorCode.RESULT_INVALID);
    assertThat(problem.path())
        .isEqualTo("spec.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight");
    assertThat(problem.message()).contains("declare the parameter with type integer");
  }

  @Test
  void aRangeThatTheFieldDoesNotTake_isFoundByTryingItsEnds() {
    Problem problem =
        only(
            "parameters: [{name: Weight, type: integer, required: true, minimum: 1, maximum:"
                + " 1000}]\n"
                + PREFERENCE);

    assertThat(problem.message())
        .startsWith("Invalid value: 1000: must be in the range 1-100")
        .contains("(with Weight = 1000, which the parameter accepts)");
  }

  @Test
  void anAcceptedValueThatMakesTheResultInvalid_isNamed() {
    Problem problem =
        only(
            """
            parameters: [{name: Op, enum: [In, Near], default: In}]
            nodeAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
                nodeSelectorTerms: [{matchExpressions: [{key: k, operator: "${Op}", values: [x]}]}]
            """);

    assertThat(problem.message())
        .startsWith("Invalid value: \"Near\": not a valid selector operator")
        .contains("(with Op = \"Near\", which the parameter accepts)");
  }

  @Test
  void anOptionalArgumentThatIsReadWithoutAskingWhetherIt_isThere() {
    Problem problem =
        only("{parameters: [{name: Zone}], tolerations: [{key: z, value: '${Zone}'}]}");

    assertThat(problem.code()).isEqualTo(ErrorCode.RENDER_MISSING_VALUE);
    assertThat(problem.message()).contains("give the parameter a default, or make it required");
  }

  @Test
  void aMisspeltName_isAnsweredWithTheNearest() {
    Problem problem =
        only(
            """
            parameters: [{name: PreferredPool, required: true}]
            tolerations: [{key: k, value: "${PrefferredPool}"}]
            """);

    assertThat(problem.code()).isEqualTo(ErrorCode.TEMPLATE_UNKNOWN_NAME);
    assertThat(problem.message()).endsWith("did you mean \"PreferredPool\"?");
  }

  @Test
  void constraintsUnderConditionsThatExcludeEachOtherAreNotDuplicates() {
    assertThat(
            compile(
                TemplateKind.POD,
                """
                parameters: [{name: Skew, type: integer, default: 1, minimum: 1}, {name: Strict, type: boolean, default: false}]
                topologySpreadConstraints:
                - {$if: "${Strict}", maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}
                - {$if: "${!Strict}", maxSkew: "${Skew}", topologyKey: zone, whenUnsatisfiable: DoNotSchedule}
                """))
        .isInstanceOf(CompiledTemplate.class);
  }

  @Test
  void whatOnlyAPodCanTell_isLeftOpen() {
    assertThat(
            compile(
                TemplateKind.POD,
                """
                podAntiAffinity:
                  requiredDuringSchedulingIgnoredDuringExecution:
                  - topologyKey: kubernetes.io/hostname
                    labelSelector: {matchLabels: {app: "${pod.labels.app}"}}
                    namespaces: ["${pod.namespace}"]
                """))
        .isInstanceOf(CompiledTemplate.class);
  }

  @Test
  void severalMistakes_areReportedAtOnce() {
    assertThat(
            problems(
                TemplateKind.NODE,
                """
                parameters: [{name: 1st}, {name: B, type: int}, {name: C, type: integer, pattern: x}]
                tolerations: [{key: "${A?eval}"}, {key: "<#if x>"}, {key: "${"}]
                """))
        .extracting(Problem::code)
        .containsExactly(
            ErrorCode.PARAMETER_MALFORMED,
            ErrorCode.PARAMETER_MALFORMED,
            ErrorCode.PARAMETER_CONTRADICTION,
            ErrorCode.TEMPLATE_BUILT_IN,
            ErrorCode.TEMPLATE_DIRECTIVE,
            ErrorCode.TEMPLATE_SYNTAX);
  }

  @Test
  void whatDoesNotParse_isExplainedWithoutWordsOfALibrary() {
    for (String leaf :
        List.of(
            "${A B}", "${A +}", "${", "${A", "${A##B}", "${)}", "${A[}", "${A?}", "${'\\\\q'}")) {
      assertThat(problems(TemplateKind.NODE, "tolerations: [{key: k, value: \"" + leaf + "\"}]"))
          .as(leaf)
          .isNotEmpty()
          .allSatisfy(
              problem ->
                  assertThat(problem.message())
                      .doesNotContain(
                          "ncountered",
                          "expecting",
                          "Lexical",
                          "end of file",
                          "oken",
                          "FreeMarker"));
    }
    assertThat(problems(TemplateKind.NODE, "tolerations: [{key: k, value: \"${A B}\"}]"))
        .singleElement()
        .satisfies(
            problem ->
                assertThat(problem.message()).contains("character 5: \"B\" is not allowed here"));
  }

  @Test
  void theParserNeedsLittleStackForTheWorstThatIsLetThrough() throws Exception {
    String[] worst = {
      "${" + "(".repeat(31) + "A" + ")".repeat(31) + "}",
      "${A" + "!A".repeat(158) + "}",
      "${A" + "+A".repeat(158) + "}",
      "${" + "-" + "A" + "?trim".repeat(157) + "}",
      "${" + "!".repeat(158) + "true}",
      "${" + "{\"a\":".repeat(31) + "1" + "}".repeat(31) + "}"
    };
    Thread thread =
        Thread.ofPlatform()
            .stackSize(512 * 1024)
            .unstarted(
                () -> {
                  for (String leaf : worst) {
                    var spec = JsonNodeFactory.instance.objectNode();
                    spec.putArray("tolerations").addObject().put("key", "k").put("value", leaf);
                    new TemplateCompiler().compile(TemplateKind.NODE, spec);
                  }
                });
    Throwable[] thrown = new Throwable[1];
    thread.setUncaughtExceptionHandler((failed, e) -> thrown[0] = e);
    thread.start();
    thread.join();

    assertThat(thrown[0]).isNull();
  }
}
