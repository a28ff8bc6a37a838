package io.berth.webhook.template;

import static io.berth.webhook.template.Configs.compile;
import static io.berth.webhook.template.Configs.problems;
import static io.berth.webhook.template.Configs.refused;
import static io.berth.webhook.template.Configs.rendered;
import static io.berth.webhook.template.Configs.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.webhook.argument.CheckedArguments;
import io.berth.webhook.argument.GivenArguments;
import io.berth.webhook.argument.Parameters;
import io.berth.webhook.argument.RefusedArguments;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CheckedWhenAppliedTest {
  private static final String PREFERENCE =
      """
      nodeAffinity:
        preferredDuringSchedulingIgnoredDuringExecution:
        - {weight: "%s", preference: {matchExpressions: [{key: k, operator: Exists}]}}
      """;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{name: W, type: integer}",
        "{name: W, type: integer, default: 5}",
        "{name: W, type: integer, required: true, minimum: 1}",
        "{name: W, type: integer, required: true, maximum: 100}"
      })
  void aWeightWithoutBounds_isRefused(String parameter) {
    assertThat(
            problems(
                TemplateKind.NODE,
                "parameters: [" + parameter + "]\n" + PREFERENCE.formatted("${W}")))
        .extracting(Problem::path)
        .contains("spec.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight");
  }

  @Test
  void aWeightThatTheTemplateItselfKeepsInBounds_isAccepted() {
    assertThat(
            compile(
                TemplateKind.NODE,
                "parameters: [{name: W, type: integer, required: true}]\n"
                    + PREFERENCE.formatted("${(W lt 1)?then(1, (W gt 100)?then(100, W))}")))
        .isInstanceOf(CompiledTemplate.class);
  }

  @Test
  void anIntegerWithoutBounds_mayBePartOfAText() {
    assertThat(
            compile(
                TemplateKind.NODE,
                """
                parameters: [{name: Generation, type: integer, required: true}]
                tolerations: [{key: generation, value: "${Generation}"}]
                """))
        .isInstanceOf(CompiledTemplate.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"${B?then(S, T)}", "${(B && S == \"x\")?then(\"a\", \"b\")}"})
  void anOptionalParameterThatADefaultLeadsToIsRefused(String value) {
    assertThat(
            problems(
                TemplateKind.NODE,
                """
                parameters: [{name: B, type: boolean, default: true}, {name: S}, {name: T, default: t}]
                tolerations: [{key: k, value: '%s'}]
                """
                    .formatted(value)))
        .extracting(Problem::code)
        .contains(ErrorCode.RENDER_MISSING_VALUE);
  }

  @Test
  void anOptionalParameterThatIsAskedForFirst_isAccepted() {
    assertThat(
            compile(
                TemplateKind.NODE,
                """
                parameters: [{name: B, type: boolean, default: true}, {name: S}]
                tolerations: [{key: k, value: '${(B && S??)?then(S!, "none")}'}]
                """))
        .isInstanceOf(CompiledTemplate.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "true ~ {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms:"
            + " [{matchExpressions: [{key: a, operator: Exists}]}, {matchExpressions: [{key: b,"
            + " operator: Exists}]}]}}",
        "false ~ {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms:"
            + " [{matchExpressions: [{key: b, operator: Exists}]}]}}",
      })
  void aNodeTermThatLosesItsOnlyExpressionIsDropped(String kept, String affinity) {
    assertThat(
            rendered(
                    TemplateKind.NODE,
                    """
                    parameters: [{name: Use, type: boolean, required: true}]
                    nodeAffinity:
                      requiredDuringSchedulingIgnoredDuringExecution:
                        nodeSelectorTerms:
                        - matchExpressions: [{$if: "${Use}", key: a, operator: Exists}]
                        - matchExpressions: [{key: b, operator: Exists}]
                    """,
                    "{Use: " + kept + "}")
                .path("nodeAffinity"))
        .isEqualTo(yaml(affinity));
  }

  @Test
  void anAffinityThatLosesItsOnlyTermIsDroppedAsAWhole() {
    assertThat(
            rendered(
                TemplateKind.NODE,
                """
                parameters: [{name: Use, type: boolean, required: true}]
                nodeAffinity:
                  requiredDuringSchedulingIgnoredDuringExecution:
                    nodeSelectorTerms:
                    - matchExpressions: [{$if: "${Use}", key: a, operator: Exists}]
                """,
                "{Use: false}"))
        .isEqualTo(yaml("{}"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "labelSelector: {matchExpressions: [{$if: '${Use}', key: a, operator: Exists}]}",
        "labelSelector: {matchLabels: {$if: '${Use}', a: b}}",
        "labelSelector: {$if: '${Use}', matchLabels: {a: b}}",
        "labelSelector: {matchLabels: {a: b}}, namespaceSelector: {matchLabels: {$if: '${Use}', a:"
            + " b}}",
      })
  void aPodTermWhoseSelectorIsDropped_isDroppedAndNeverMatchesAllOrNone(String selector) {
    String spec =
        """
        parameters: [{name: Use, type: boolean, required: true}]
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
          - {topologyKey: zone, labelSelector: {matchLabels: {x: y}}}
          - {topologyKey: zone, %s}
        topologySpreadConstraints:
        - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {$if: "${Use}", a: b}}}
        """
            .formatted(selector);

    assertThat(rendered(TemplateKind.POD, spec, "{Use: true}").findValues("topologyKey"))
        .hasSize(3);
    assertThat(rendered(TemplateKind.POD, spec, "{Use: false}"))
        .isEqualTo(
            yaml(
                "podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey:"
                    + " zone, labelSelector: {matchLabels: {x: y}}}]}"));
  }

  @Test
  void aSelectorThatKeepsSomething_stays() {
    assertThat(
            rendered(
                    TemplateKind.POD,
                    """
                    parameters: [{name: Use, type: boolean, required: true}]
                    podAffinity:
                      requiredDuringSchedulingIgnoredDuringExecution:
                      - topologyKey: zone
                        labelSelector:
                          matchLabels: {a: b}
                          matchExpressions: [{$if: "${Use}", key: c, operator: Exists}]
                    """,
                    "{Use: false}")
                .findValue("labelSelector"))
        .isEqualTo(yaml("{matchLabels: {a: b}}"));
  }

  @Test
  void aTolerationWhoseKeyRendersEmptyIsRefusedSinceItWouldTolerateEverything() {
    assertThat(
            problems(
                TemplateKind.NODE,
                "parameters: [{name: Q}]\ntolerations: [{key: '${Q!}', operator: Exists}]"))
        .extracting(Problem::message)
        .anySatisfy(message -> assertThat(message).contains("tolerates every taint"));
    assertThat(
            refused(
                TemplateKind.NODE,
                "tolerations: [{key: '${pod.labels[\"taint\"]!}', operator: Exists}]",
                "{}",
                Configs.BARE_POD))
        .extracting(Problem::code)
        .containsExactly(ErrorCode.RESULT_INVALID);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "{name: Q, required: true} ~ false",
        "{name: Q, required: true, pattern: '[a-z]+'} ~ false",
        "{name: Q, required: true, pattern: '[a-z]*'} ~ true",
        "{name: Q, required: true, enum: ['', a]} ~ true",
        "{name: Q, default: ''} ~ true",
      })
  void anEmptyString_isAnArgumentOnlyWhereTheParameterSaysSo(String parameter, boolean accepted) {
    Parameters parameters =
        (Parameters) Parameters.read(yaml("[" + parameter + "]"), "spec.parameters");

    CheckedArguments checked =
        parameters.check(new GivenArguments("NodeSchedulerConfig test", "args", yaml("{Q: ''}")));

    assertThat(checked instanceof RefusedArguments).isEqualTo(!accepted);
  }

  @Test
  void oneBadArgument_isOneProblemThatNamesItAndAllItsPlaces() {
    Problem problem =
        only(
            """
            parameters: [{name: App, required: true}]
            podAntiAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
              - {topologyKey: zone, labelSelector: {matchLabels: {app: "${App}"}}}
              - {topologyKey: host, labelSelector: {matchLabels: {app: "${App}"}}}
            """,
            TemplateKind.POD,
            "{App: 'not a label'}");

    assertThat(problem.path())
        .isEqualTo(
            "spec.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchLabels[app]");
    assertThat(problem.message())
        .contains("; it comes from \"${App}\" with App = \"not a label\"")
        .endsWith(
            "; also at"
                + " spec.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[1].labelSelector.matchLabels[app]");
  }

  @Test
  void theArgumentOfATolerationsValue_isNamed() {
    assertThat(
            only(
                    "parameters: [{name: Tier, required: true}]\n"
                        + "tolerations: [{key: tier, operator: Equal, value: '${Tier}'}]",
                    TemplateKind.NODE,
                    "{Tier: 'a b'}")
                .message())
        .contains("it comes from \"${Tier}\" with Tier = \"a b\"");
  }

  private static Problem only(String spec, TemplateKind kind, String arguments) {
    assertThat(refused(kind, spec, arguments, Configs.POD)).hasSize(1);
    return refused(kind, spec, arguments, Configs.POD).getFirst();
  }
}
