package io.berth.webhook.affinity;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.berth.crds.ParameterType;
import io.berth.webhook.error.Problem;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AffinityValidatorTest {

  private static final YAMLMapper YAML = new YAMLMapper();

  private static List<Problem> check(String field, String value) {
    return check(field, yaml(value));
  }

  private static List<Problem> check(String field, JsonNode value) {
    return new AffinityValidator().check(field, value, field);
  }

  private static JsonNode yaml(String text) {
    try {
      return YAML.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '|',
      textBlock =
          """
          {key: k, operator: In, values: []}                 ~ .values ~ Required value: must be specified when `operator` is 'In' or 'NotIn'
          {key: k, operator: In}                             ~ .values ~ Required value: must be specified when `operator` is 'In' or 'NotIn'
          {key: k, operator: Exists, values: [x]}            ~ .values ~ Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'
          {key: k, operator: Gt, values: ['1', '2']}         ~ .values ~ Required value: must be specified single value when `operator` is 'Lt' or 'Gt'
          {key: k, operator: Lt, values: [many]}             ~ .values[0] ~ Invalid value: "many": must be a 64-bit integer when `operator` is 'Lt' or 'Gt'
          {key: k, operator: in, values: [x]}                ~ .operator ~ Invalid value: "in": not a valid selector operator
          {key: '', operator: Exists}                        ~ .key ~ Invalid value: "": name part must be non-empty
          {key: a/b/c, operator: Exists}                     ~ .key ~ Invalid value: "a/b/c": a valid label key must consist of
          {key: A.b/c, operator: Exists}                     ~ .key ~ Invalid value: "A.b/c": prefix part a lowercase RFC 1123 subdomain must consist of
          {key: k, operator: In, values: [-x]}               ~ .values[0] ~ Invalid value: "-x": a valid label must be an empty string or consist of
          {key: k, operator: In, values: [5]}                ~ .values[0] ~ Invalid value: "5": must be a string
          {key: k, operator: In, values: x}                  ~ .values ~ Invalid value: "x": must be a list
          {operator: Exists}                                 ~ .key ~ Required value: must be specified
          """)
  void aRequiredNodeExpression(String expression, String path, String message) {
    String at =
        "nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]";

    assertThat(
            check(
                "nodeAffinity",
                "requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms:"
                    + " [{matchExpressions: ["
                    + expression
                    + "]}]}"))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.path()).isEqualTo(at + path);
              assertThat(problem.message()).startsWith(message);
            });
  }

  @Test
  void preferredTermsTakeAnyValueAsTheApiServer_does() {
    assertThat(
            check(
                "nodeAffinity",
                "preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference:"
                    + " {matchExpressions: [{key: k, operator: In, values: ['not a label']}]}}]"))
        .isEmpty();
  }

  @Test
  void weightsAndFieldsOfNodes() {
    assertThat(
            check(
                "nodeAffinity",
                """
                preferredDuringSchedulingIgnoredDuringExecution:
                - {weight: 0, preference: {}}
                - {weight: 101, preference: {matchFields: [{key: metadata.uid, operator: In, values: [x]}]}}
                - {weight: 1, preference: {matchFields: [{key: metadata.name, operator: In, values: [Node_1]}]}}
                requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: []}
                """))
        .extracting(Problem::message)
        .satisfiesExactly(
            message ->
                assertThat(message)
                    .isEqualTo("Required value: must have at least one node selector term"),
            message ->
                assertThat(message).isEqualTo("Invalid value: 0: must be in the range 1-100"),
            message ->
                assertThat(message).isEqualTo("Invalid value: 101: must be in the range 1-100"),
            message ->
                assertThat(message)
                    .isEqualTo("Invalid value: \"metadata.uid\": not a valid field selector key"),
            message ->
                assertThat(message)
                    .startsWith("Invalid value: \"Node_1\": a lowercase RFC 1123 subdomain"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '|',
      textBlock =
          """
          {labelSelector: {}}                                ~ .topologyKey ~ Required value: can not be empty
          {topologyKey: 'a b'}                               ~ .topologyKey ~ Invalid value: "a b": name part must consist of
          {topologyKey: z, namespaces: [A]}                  ~ .namespaces[0] ~ Invalid value: "A": a lowercase RFC 1123 label must consist of
          {topologyKey: z, matchLabelKeys: [k]}              ~ .matchLabelKeys ~ Forbidden: must not be specified when labelSelector is not set
          {topologyKey: z, matchLabelKeys: [k], labelSelector: {matchLabels: {k: v}}} ~ .matchLabelKeys[0] ~ Invalid value: "k": exists in both matchLabelKeys and labelSelector
          {topologyKey: z, labelSelector: {}, matchLabelKeys: [k], mismatchLabelKeys: [k]} ~ .matchLabelKeys[0] ~ Invalid value: "k": exists in both matchLabelKeys and mismatchLabelKeys
          {topologyKey: z, labelSelector: {matchLabels: {k: 'a b'}}} ~ .labelSelector.matchLabels[k] ~ Invalid value: "a b": a valid label must be
          {topologyKey: z, labelSelector: {matchExpressions: [{key: k, operator: Gt, values: ['1']}]}} ~ .labelSelector.matchExpressions[0].operator ~ Invalid value: "Gt": not a valid selector operator
          {topologyKey: z, labelSelecter: {}}                ~ || ~ Invalid value: "labelSelecter": unknown field
          """)
  void aPodTerm(String term, String path, String message) {
    assertThat(
            check("podAffinity", "requiredDuringSchedulingIgnoredDuringExecution: [" + term + "]"))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.path())
                  .isEqualTo(
                      "podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]" + path);
              assertThat(problem.message()).startsWith(message);
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '|',
      textBlock =
          """
          {maxSkew: 0, topologyKey: z, whenUnsatisfiable: DoNotSchedule} ~ Invalid value: 0: must be greater than zero
          {maxSkew: 1, whenUnsatisfiable: DoNotSchedule}     ~ Required value: can not be empty
          {maxSkew: 1, topologyKey: z, whenUnsatisfiable: Never} ~ Unsupported value: "Never": supported values: "DoNotSchedule", "ScheduleAnyway"
          {maxSkew: 1, topologyKey: z, whenUnsatisfiable: ScheduleAnyway, minDomains: 2} ~ Invalid value: 2: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway
          {maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, nodeTaintsPolicy: No} ~ Unsupported value: "No": supported values: "Honor", "Ignore"
          {maxSkew: '1', topologyKey: z, whenUnsatisfiable: DoNotSchedule} ~ Invalid value: "1": must be an integer, without quotes
          {maxSkew: 3000000000, topologyKey: z, whenUnsatisfiable: DoNotSchedule} ~ Invalid value: "3000000000": does not fit in 32 bits
          """)
  void aSpreadConstraint(String constraint, String message) {
    assertThat(check("topologySpreadConstraints", "[" + constraint.replace("No}", "'No'}") + "]"))
        .extracting(Problem::message)
        .containsExactly(message);
  }

  @Test
  void twoSpreadConstraintsOfOneKind_areDuplicates() {
    String constraint = "{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule}";

    assertThat(check("topologySpreadConstraints", "[" + constraint + "," + constraint + "]"))
        .extracting(Problem::message)
        .containsExactly("Duplicate value: \"{z, DoNotSchedule}\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '|',
      textBlock =
          """
          {operator: Equal, value: x}                        ~ Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"
          {key: k, operator: Exists, value: x}               ~ Invalid value: "x": value must be empty when `operator` is 'Exists'
          {key: k, operator: In, value: x}                   ~ Unsupported value: "In": supported values: "Equal", "Exists"
          {key: k, effect: Never}                            ~ Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"
          {key: k, effect: NoSchedule, tolerationSeconds: 5} ~ Invalid value: "NoSchedule": effect must be 'NoExecute' when `tolerationSeconds` is set
          """)
  void aToleration(String toleration, String message) {
    assertThat(check("tolerations", "[" + toleration + "]"))
        .extracting(Problem::message)
        .containsExactly(message);
  }

  @Test
  void whatIsNotDeterminedPassesWhereItsTypeDoes() {
    JsonNode toleration =
        JsonNodeFactory.instance
            .objectNode()
            .put("key", "k")
            .putPOJO("value", new Undetermined(ParameterType.STRING))
            .putPOJO("tolerationSeconds", new Undetermined(ParameterType.BOOLEAN))
            .put("effect", "NoExecute");

    assertThat(check("tolerations", JsonNodeFactory.instance.arrayNode().add(toleration)))
        .singleElement()
        .satisfies(problem -> assertThat(problem.path()).endsWith("[0].tolerationSeconds"));
  }

  @Test
  void aWholeExampleOfEachField_isAccepted() {
    assertThat(
            check(
                "podAntiAffinity",
                "preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, podAffinityTerm:"
                    + " {topologyKey: kubernetes.io/hostname, namespaceSelector: {}, labelSelector:"
                    + " {matchExpressions: [{key: app, operator: NotIn, values: [a, b]}]}}}]"))
        .isEmpty();
    assertThat(
            check(
                "tolerations",
                "[{operator: Exists}, {key: a/b, value: c, effect: NoExecute, tolerationSeconds:"
                    + " 60}]"))
        .isEmpty();
  }
}
