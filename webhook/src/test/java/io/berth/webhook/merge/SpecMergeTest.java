package io.berth.webhook.merge;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.webhook.error.Problem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpecMergeTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String REQUIRED =
      "/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms";

  @Test
  void aPodWithoutAffinity_isGivenTheConfigsTerms() {
    JsonNode merged = merge("{}", requiredTerms("{'matchExpressions':[" + in("pool", "A") + "]}"));

    assertThat(merged.at(REQUIRED))
        .isEqualTo(json("[{'matchExpressions':[" + in("pool", "A") + "]}]"));
  }

  @Test
  void requiredTerms_areCrossedSoThatBothSidesHold() {
    JsonNode merged =
        merge(
            podRequiring(expression(in("zone", "z1")), expression(in("zone", "z2"))),
            requiredTerms(expression(in("pool", "A")), expression(in("pool", "B"))));

    assertThat(merged.at(REQUIRED))
        .isEqualTo(
            json(
                "["
                    + String.join(
                        ",",
                        expression(in("zone", "z1"), in("pool", "A")),
                        expression(in("zone", "z1"), in("pool", "B")),
                        expression(in("zone", "z2"), in("pool", "A")),
                        expression(in("zone", "z2"), in("pool", "B")))
                    + "]"));
  }

  @Test
  void emptyTermsMatchNothingAndAreLeftOut() {
    JsonNode merged =
        merge(
            podRequiring("{}", expression(in("zone", "z1"))),
            requiredTerms(expression(in("pool", "A")), "{}"));

    assertThat(merged.at(REQUIRED))
        .isEqualTo(json("[" + expression(in("zone", "z1"), in("pool", "A")) + "]"));
  }

  @Test
  void oneEmptyTerm_isKeptWhereNoneRemainsSinceNoTermAtAllWouldBeInvalid() {
    JsonNode merged = merge(podRequiring("{}", "{}"), requiredTerms(expression(in("pool", "A"))));

    assertThat(merged.at(REQUIRED)).isEqualTo(json("[{}]"));
  }

  @Test
  void aTermThatContainsAnotherIsAbsorbedHoweverItsValues_areOrdered() {
    JsonNode merged =
        merge(
            podRequiring(
                expression(in("pool", "B", "A"), in("zone", "z1")),
                expression(in("pool", "A", "B"))),
            requiredTerms(expression(in("pool", "A", "B"))));

    assertThat(merged.at(REQUIRED)).isEqualTo(json("[" + expression(in("pool", "A", "B")) + "]"));
  }

  @Test
  void fieldsAndExpressionsOfTheSameWords_areDifferentRequirements() {
    String field = "{'key':'metadata.name','operator':'In','values':['n1']}";
    JsonNode merged =
        merge(
            podRequiring("{'matchFields':[" + field + "]}"),
            requiredTerms(expression(in("metadata.name", "n1"))));

    assertThat(merged.at(REQUIRED))
        .isEqualTo(
            json(
                "[{'matchFields':["
                    + field
                    + "],'matchExpressions':["
                    + in("metadata.name", "n1")
                    + "]}]"));
  }

  @Test
  void moreThan64Terms_areRefusedWithWhatToWriteInstead() {
    MergeOutcome outcome =
        SpecMerge.merge(
            json(podRequiring(numbered("zone", 9))),
            List.of(config(requiredTerms(numbered("pool", 8)))));

    assertThat(outcome)
        .isInstanceOfSatisfying(
            MergeOutcome.Refused.class,
            refused ->
                assertThat(refused.reason())
                    .contains("NodeSchedulerConfig test")
                    .contains("more than 64 terms")
                    .contains("operator In"));
  }

  @Test
  void sixtyFourTerms_areAccepted() {
    JsonNode merged = merge(podRequiring(numbered("zone", 8)), requiredTerms(numbered("pool", 8)));

    assertThat(merged.at(REQUIRED)).hasSize(64);
  }

  @Test
  void aListOfThousandsOfTerms_isRefusedBeforeAnyWorkIsDoneOnIt() {
    assertThat(
            SpecMerge.merge(
                json(podRequiring(numbered("zone", 5000))),
                List.of(config(requiredTerms(numbered("pool", 1))))))
        .isInstanceOf(MergeOutcome.Refused.class);
  }

  @Test
  void equalPreferences_areThereOnceAndThePodsOwnComeFirst() {
    String own = "{'weight':3,'preference':" + expression(in("pool", "A", "B")) + "}";
    String same = "{'preference':" + expression(in("pool", "B", "A")) + ",'weight':3}";
    String other = "{'weight':2,'preference':" + expression(in("pool", "B")) + "}";
    String list = "'preferredDuringSchedulingIgnoredDuringExecution'";

    JsonNode merged =
        merge(
            "{'affinity':{'nodeAffinity':{" + list + ":[" + own + "]}}}",
            "{'nodeAffinity':{" + list + ":[" + same + "," + other + "]}}");

    assertThat(merged.at("/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution"))
        .isEqualTo(json("[" + own + "," + other + "]"));
  }

  @Test
  void aPodTermWithAnEmptySelector_isNotTheOneWithoutASelector() {
    String list = "'requiredDuringSchedulingIgnoredDuringExecution'";
    JsonNode merged =
        merge(
            "{'affinity':{'podAntiAffinity':{" + list + ":[{'topologyKey':'zone'}]}}}",
            "{'podAntiAffinity':{" + list + ":[{'topologyKey':'zone','labelSelector':{}}]}}");

    assertThat(
            merged.at("/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution"))
        .hasSize(2);
  }

  @Test
  void aTolerationWithoutOperatorEqualsTheOneThatSaysEqual() {
    JsonNode merged =
        merge(
            "{'tolerations':[{'key':'gpu','value':'yes','effect':'NoSchedule'}]}",
            "{'tolerations':[{'key':'gpu','operator':'Equal','value':'yes','effect':'NoSchedule'},"
                + "{'key':'gpu','operator':'Exists'}]}");

    assertThat(merged.path("tolerations"))
        .isEqualTo(
            json(
                "[{'key':'gpu','value':'yes','effect':'NoSchedule'},{'key':'gpu','operator':'Exists'}]"));
  }

  @Test
  void ofTwoSpreadConstraintsOfAKindThePodsOwn_staysAndItIsSaid() {
    MergeOutcome outcome =
        SpecMerge.merge(
            json(
                "{'topologySpreadConstraints':[{'maxSkew':5,'topologyKey':'zone','whenUnsatisfiable':'DoNotSchedule'}]}"),
            List.of(
                config(
                    "{'topologySpreadConstraints':["
                        + "{'maxSkew':1,'topologyKey':'zone','whenUnsatisfiable':'DoNotSchedule'},"
                        + "{'maxSkew':1,'topologyKey':'zone','whenUnsatisfiable':'ScheduleAnyway'}]}")));

    assertThat(outcome)
        .isInstanceOfSatisfying(
            MergeOutcome.Merged.class,
            merged -> {
              assertThat(merged.fields().at("/topologySpreadConstraints/0/maxSkew").asInt())
                  .isEqualTo(5);
              assertThat(merged.fields().path("topologySpreadConstraints")).hasSize(2);
              assertThat(merged.notes())
                  .singleElement()
                  .extracting(Problem::text)
                  .asString()
                  .startsWith("BERTH-1608 at")
                  .contains("zone, DoNotSchedule");
            });
  }

  @Test
  void thePodsSpecItself_isLeftAsItWas() {
    JsonNode pod = json(podRequiring(expression(in("zone", "z1"))));
    JsonNode before = pod.deepCopy();

    SpecMerge.merge(pod, List.of(config(requiredTerms(expression(in("pool", "A"))))));

    assertThat(pod).isEqualTo(before);
  }

  private static JsonNode merge(String podSpec, String rendered) {
    if (SpecMerge.merge(json(podSpec), List.of(config(rendered)))
        instanceof MergeOutcome.Merged merged) {
      return merged.fields();
    }
    throw new AssertionError("refused");
  }

  private static RenderedConfig config(String fields) {
    return new RenderedConfig("NodeSchedulerConfig test", json(fields));
  }

  private static String podRequiring(String... terms) {
    return "{'affinity':" + requiredTerms(terms) + "}";
  }

  private static String requiredTerms(String... terms) {
    return "{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':["
        + String.join(",", terms)
        + "]}}}";
  }

  private static String expression(String... expressions) {
    return "{'matchExpressions':[" + String.join(",", expressions) + "]}";
  }

  private static String in(String key, String... values) {
    return "{'key':'"
        + key
        + "','operator':'In','values':["
        + String.join(",", Arrays.stream(values).map(value -> "'" + value + "'").toList())
        + "]}";
  }

  private static String[] numbered(String key, int count) {
    List<String> terms = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      terms.add(expression(in(key, "v" + i)));
    }
    return terms.toArray(String[]::new);
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text.replace('\'', '"'));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(text, e);
    }
  }
}
