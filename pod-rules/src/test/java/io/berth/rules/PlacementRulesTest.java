package io.berth.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlacementRulesTest {
  private static final YAMLMapper YAML = new YAMLMapper();

  /**
   * Treats strings that start with a question mark as unknown, and those that start with an
   * asterisk as lists.
   */
  private static final Knowledge RIDDLES =
      new Knowledge() {
        @Override
        public boolean isKnown(JsonNode value) {
          return !value.asText().startsWith("?") && !value.asText().startsWith("*");
        }

        @Override
        public boolean isOne(JsonNode item) {
          return !item.asText().startsWith("*") && !item.has("$maybe");
        }

        @Override
        public boolean isField(String name) {
          return !name.equals("$maybe");
        }
      };

  private final PlacementRules stored = PlacementRules.ofStored();
  private final PlacementRules draft = PlacementRules.ofDraft(RIDDLES);

  private static JsonNode yaml(String text) {
    try {
      return YAML.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static JsonNode podAffinity(String term) {
    return yaml("requiredDuringSchedulingIgnoredDuringExecution: [" + term + "]");
  }

  private static JsonNode nodeAffinity(String expression) {
    return yaml(
        "requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: ["
            + expression
            + "]}]}");
  }

  private static String message(Violation violation) {
    return violation.message(text -> "'" + text + "'");
  }

  @Test
  void aViolation_knowsItsPlaceAndWhatTheApiServerReports() {
    String term = "affinity.requiredDuringSchedulingIgnoredDuringExecution[0]";

    assertThat(
            stored.podAffinity(
                podAffinity(
                    "{topologyKey: z, namespaces: [a.b], labelSelector: {matchLabels: {k: '-'},"
                        + " matchExpressions: [{key: k, operator: Exists}]}, matchLabelKeys: [k]}"),
                "affinity"))
        .extracting(Violation::place, Violation::reportedPlace)
        .containsExactly(
            tuple(term + ".labelSelector.matchLabels[k]", term + ".labelSelector.matchLabels"),
            tuple(term + ".namespaces[0]", term + ".namespace"),
            tuple(term + ".matchLabelKeys[0]", term + "[0]"));
    assertThat(stored.tolerations(yaml("[{key: k, value: '-'}]"), "tolerations"))
        .extracting(Violation::place, Violation::reportedPlace)
        .containsExactly(tuple("tolerations[0].value", "tolerations[0].operator"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{key: '?', operator: In, values: ['?']}",
        "{key: k, operator: In, values: ['*']}",
        "{key: k, operator: Exists, values: ['*']}",
        "{key: k, operator: Gt, values: ['*']}",
        "{key: k, operator: '?', values: [a, b]}",
      })
  void whatIsUnknownPasses(String expression) {
    assertThat(draft.nodeAffinity(nodeAffinity(expression), "affinity")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{key: '-', operator: '?', values: ['?']}",
        "{key: '?', operator: In, values: []}",
        "{key: k, operator: Exists, values: ['?']}",
        "{key: k, operator: Gt, values: ['?', '?']}",
      })
  void whatIsWrongForEveryValue_doesNot(String expression) {
    assertThat(draft.nodeAffinity(nodeAffinity(expression), "affinity")).hasSize(1);
  }

  @Test
  void aKeyInBothListsAndSelector_isWrongBeforeItIsMerged() {
    JsonNode affinity =
        podAffinity("{topologyKey: z, labelSelector: {matchLabels: {k: v}}, matchLabelKeys: [k]}");

    assertThat(stored.podAffinity(affinity, "affinity")).isEmpty();
    assertThat(draft.podAffinity(affinity, "affinity"))
        .extracting(PlacementRulesTest::message)
        .containsExactly("Invalid value: 'k': exists in both matchLabelKeys and labelSelector");
  }

  @Test
  void anExpressionThatMayBeAbsent_doesNotSelectItsKey() {
    assertThat(
            draft.podAffinity(
                podAffinity(
                    "{topologyKey: z, matchLabelKeys: [k], labelSelector: {matchLabels: {$maybe:"
                        + " 'a b'}, matchExpressions: [{$maybe: x, key: k, operator: Exists}]}}"),
                "affinity"))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"0", "-5", "9223372036854775807", "'?'"})
  void tolerationsCompareWithIntegers(String value) {
    assertThat(comparing(value)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "007, must be a valid decimal integer in canonical form",
    "+5, must be a valid decimal integer in canonical form",
    "many, must be a valid decimal integer in canonical form",
    "'', must be a valid decimal integer in canonical form",
    "9223372036854775808, must fit into 64 bits",
  })
  void tolerationsCompareWithNothingElse(String value, String problem) {
    assertThat(comparing(value)).extracting(Violation::detail).containsExactly(problem);
  }

  private List<Violation> comparing(String value) {
    return draft.tolerations(yaml("[{key: k, operator: Lt, value: '" + value + "'}]"), "t");
  }

  @Test
  void comparingTolerations_areNotStoredWithoutTheirFeatureGate() {
    assertThat(stored.tolerations(yaml("[{key: k, operator: Lt, value: '5'}]"), "t"))
        .extracting(PlacementRulesTest::message)
        .containsExactly(
            "Unsupported value: 'Lt': supported values: \"Equal\", \"Exists\", \"Lt\", \"Gt\"");
  }

  @Test
  void constraints_areDuplicatesWhereALaterOneIsOfTheSameKind() {
    assertThat(
            stored.spreadConstraints(
                yaml(
                    """
                    - {maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule}
                    - {maxSkew: 2, topologyKey: z, whenUnsatisfiable: ScheduleAnyway}
                    - {maxSkew: 3, topologyKey: z, whenUnsatisfiable: DoNotSchedule}
                    """),
                "c"))
        .extracting(Violation::place)
        .containsExactly("c[0].{topologyKey, whenUnsatisfiable}");
  }
}
