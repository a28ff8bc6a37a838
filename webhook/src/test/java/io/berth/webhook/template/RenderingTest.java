package io.berth.webhook.template;

import static io.berth.webhook.template.Configs.BARE_POD;
import static io.berth.webhook.template.Configs.POD;
import static io.berth.webhook.template.Configs.compiled;
import static io.berth.webhook.template.Configs.refused;
import static io.berth.webhook.template.Configs.rendered;
import static io.berth.webhook.template.Configs.yaml;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.berth.webhook.argument.DeclaredParameter;
import io.berth.webhook.error.ErrorCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RenderingTest {

  private static final String RESOURCE_POOL =
      """
      nodeAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          nodeSelectorTerms:
          - matchExpressions:
            - {key: cloud.ctrip.com/pool, operator: In, values: ["{{.PrefferredPool}}"]}
          - matchExpressions:
            - {key: cloud.ctrip.com/pool, operator: In, values: ["${DefaultPool}"]}
        preferredDuringSchedulingIgnoredDuringExecution:
        - weight: 3
          preference:
            matchExpressions:
            - {key: cloud.ctrip.com/pool, operator: In, values: ["{{ .PrefferredPool }}"]}
        - weight: 2
          preference:
            matchExpressions:
            - {key: cloud.ctrip.com/pool, operator: In, values: ["${DefaultPool}"]}
      """;

  @Test
  void bothSyntaxesReadArguments() {
    assertThat(rendered(TemplateKind.NODE, RESOURCE_POOL, "{DefaultPool: B, PrefferredPool: A}"))
        .isEqualTo(
            yaml(
                RESOURCE_POOL
                    .replace("{{.PrefferredPool}}", "A")
                    .replace("{{ .PrefferredPool }}", "A")
                    .replace("${DefaultPool}", "B")));
  }

  @Test
  void aConfigThatDeclaresNoParametersTakesTheNamesItUsesAsRequiredStrings() {
    assertThat(compiled(TemplateKind.NODE, RESOURCE_POOL).parameters().list())
        .extracting(
            DeclaredParameter::name,
            parameter -> parameter.type().wireName(),
            DeclaredParameter::required)
        .containsExactlyInAnyOrder(
            tuple("PrefferredPool", "string", true), tuple("DefaultPool", "string", true));
  }

  @Test
  void aLeafThatIsOneInterpolation_keepsItsType() {
    assertThat(
            rendered(
                TemplateKind.NODE,
                """
                parameters: [{name: Weight, type: integer, minimum: 1, maximum: 100}, {name: Pools, type: stringList}]
                nodeAffinity:
                  preferredDuringSchedulingIgnoredDuringExecution:
                  - weight: "${Weight!10}"
                    preference:
                      matchExpressions:
                      - {key: pool, operator: In, values: [first, "${Pools!}", last]}
                """,
                "{Weight: 7, Pools: [a, b]}"))
        .isEqualTo(
            yaml(
                """
                nodeAffinity:
                  preferredDuringSchedulingIgnoredDuringExecution:
                  - weight: 7
                    preference:
                      matchExpressions:
                      - {key: pool, operator: In, values: [first, a, b, last]}
                """));
  }

  @Test
  void aNumberInAFieldOfStrings_isWrittenAsOne() {
    assertThat(
            rendered(
                    TemplateKind.NODE,
                    """
                    parameters: [{name: Cores, type: integer}, {name: Ssd, type: boolean}]
                    nodeAffinity:
                      requiredDuringSchedulingIgnoredDuringExecution:
                        nodeSelectorTerms:
                        - matchExpressions:
                          - {key: cores, operator: Gt, values: ["${Cores!0}"]}
                          - {key: ssd, operator: In, values: ["${Ssd!false}", 5]}
                    """,
                    "{Cores: 8, Ssd: true}")
                .findValuesAsText("values"))
        .hasSize(2);
    assertThat(
            rendered(
                    TemplateKind.NODE,
                    """
                    parameters: [{name: Cores, type: integer, required: true}]
                    tolerations: [{key: cores, value: "${Cores}"}]
                    """,
                    "{Cores: 8}")
                .at("/tolerations/0/value")
                .isTextual())
        .isTrue();
  }

  @Test
  void aPartWhoseConditionIsFalse_isDropped() {
    String spec =
        """
        parameters: [{name: Tier, enum: [gold, basic], required: true}]
        tolerations:
        - {key: always, operator: Exists}
        - {$if: '${Tier == "gold"}', key: gold, operator: Exists}
        nodeAffinity:
          $if: ${Tier == "basic"}
          preferredDuringSchedulingIgnoredDuringExecution: []
        """;

    assertThat(rendered(TemplateKind.NODE, spec, "{Tier: gold}"))
        .isEqualTo(
            yaml("tolerations: [{key: always, operator: Exists}, {key: gold, operator: Exists}]"));
    assertThat(rendered(TemplateKind.NODE, spec, "{Tier: basic}"))
        .isEqualTo(
            yaml(
                """
                tolerations: [{key: always, operator: Exists}]
                nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: []}
                """));
  }

  @Test
  void aDroppedPart_isNotEvaluated() {
    String spec =
        """
        parameters: [{name: Zone}]
        tolerations:
        - {$if: "${Zone??}", key: zone, value: "${Zone}"}
        """;

    assertThat(rendered(TemplateKind.NODE, spec, "{}").at("/tolerations")).isEmpty();
    assertThat(rendered(TemplateKind.NODE, spec, "{Zone: a}").at("/tolerations/0/value").asText())
        .isEqualTo("a");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      textBlock =
          """
          ${pod.namespace}                                   ~ team-data
          ${pod.labels.app}                                  ~ web
          ${pod.labels["app.kubernetes.io/name"]}            ~ shop
          ${pod.annotations["note"]}                         ~ hello
          ${pod.owner.kind}                                  ~ ReplicaSet
          ${pod.owner.name}                                  ~ web-5d4f
          {{.pod.namespace}}                                 ~ team-data
          ${pod.labels.none!"x"}                             ~ x
          ${pod.labels[S]!"x"}                               ~ x
          ${S}                                               ~ Abc
          a-${S}-b                                           ~ a-Abc-b
          ${S?lower_case}                                    ~ abc
          ${S?upper_case}                                    ~ ABC
          ${"  a "?trim}                                     ~ a
          ${S?length}                                        ~ 3
          ${S?starts_with("A")?then("yes", "no")}            ~ yes
          ${S?ends_with("A")?then("yes", "no")}              ~ no
          ${S?contains("b")?string}                          ~ true
          ${S + "-" + N}                                     ~ Abc-1234
          ${N}                                               ~ 1234
          ${N?c}                                             ~ 1234
          ${N + 1}                                           ~ 1235
          ${(N - 4) * 2}                                     ~ 2460
          ${-N + 1235}                                       ~ 1
          ${L?size}                                          ~ 2
          ${L?seq_contains("x")}                             ~ true
          ${L?has_content && !B}                             ~ true
          ${Opt?has_content}                                 ~ false
          ${Opt??}                                           ~ false
          ${Opt!"none"}                                      ~ none
          ${(S == "Abc" || B) && N gt 5 && (N >= 1234)}  ~ true
          ${(N < 5)?then("few", "many")}                     ~ many
          ${r"a"}                                            ~ a
          """)
  void anExpression_hasAValue(String template, String value) {
    String spec =
        """
        parameters:
        - {name: S, required: true}
        - {name: N, type: integer, required: true}
        - {name: B, type: boolean, required: true}
        - {name: L, type: stringList, required: true}
        - {name: Opt}
        tolerations: [{key: k, value: '%s'}]
        """
            .formatted(template);

    assertThat(
            rendered(TemplateKind.NODE, spec, "{S: Abc, N: 1234, B: false, L: [x, y]}")
                .at("/tolerations/0/value")
                .asText())
        .isEqualTo(value);
  }

  @Test
  void whatThePodDoesNotHave_isNamed() {
    String spec = "tolerations: [{key: k, value: '${pod.labels[\"tier\"]}'}]";

    assertThat(refused(TemplateKind.NODE, spec, "{}", POD))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.code()).isEqualTo(ErrorCode.RENDER_MISSING_VALUE);
              assertThat(problem.path()).isEqualTo("spec.tolerations[0].value");
              assertThat(problem.message()).contains("no label \"tier\"").contains("!\"...\"");
            });
    assertThat(
            refused(
                TemplateKind.NODE,
                "tolerations: [{key: k, value: '${pod.owner.name}'}]",
                "{}",
                BARE_POD))
        .singleElement()
        .satisfies(problem -> assertThat(problem.message()).contains("no owner"));
  }

  @Test
  void whatTheApiServerWouldRefuseIsRefusedAndTracedToItsTemplate() {
    String spec =
        """
        parameters: [{name: Skip, type: stringList}, {name: Pool, required: true}]
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
            - matchExpressions:
              - {key: pool, operator: In, values: ["${Skip!}", "${Pool}"]}
        """;

    assertThat(refused(TemplateKind.NODE, spec, "{Skip: [a, b], Pool: 'not a label'}", POD))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.code()).isEqualTo(ErrorCode.RESULT_INVALID);
              assertThat(problem.path())
                  .isEqualTo(
                      "spec.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
                          + ".nodeSelectorTerms[0].matchExpressions[0].values[1]");
              assertThat(problem.message())
                  .startsWith("Invalid value: \"not a label\": a valid label must be")
                  .endsWith("it comes from \"${Pool}\" with Pool = \"not a label\"");
            });
  }

  @Test
  void renderingTwice_givesEqualTreesAndLeavesTheTemplateAsItWas() {
    CompiledTemplate template = compiled(TemplateKind.NODE, RESOURCE_POOL);
    var arguments = Configs.arguments(template, "{DefaultPool: B, PrefferredPool: A}");

    assertThat(template.render(arguments, POD)).isEqualTo(template.render(arguments, BARE_POD));
  }
}
