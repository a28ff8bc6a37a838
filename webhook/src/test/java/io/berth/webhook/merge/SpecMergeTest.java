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
  void a_pod_without_affinity_is_given_the_configs_terms() {
    JsonNode merged = merge("{}", requiredTerms("{'matchExpressions':[" + in("pool", "A") + "]}"));

    assertThat(merged.at(REQUIRED))
        .isEqualTo(json("[{'matchExpressions':[" + in("pool", "A") + "]}]"));
  }

  @Test
  void required_terms_are_crossed_so_that_both_sides_hold() {
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
  void empty_terms_match_nothing_and_are_left_out() {
    JsonNode merged =
        merge(
            podRequiring("{}", expression(in("zone", "z1"))),
            requiredTerms(expression(in("pool", "A")), "{}"));

    assertThat(merged.at(REQUIRED))
        .isEqualTo(json("[" + expression(in("zone", "z1"), in("pool", "A")) + "]"));
  }

  @Test
  void one_empty_term_is_kept_where_none_remains_since_no_term_at_all_would_be_invalid() {
    JsonNode merged = merge(podRequiring("{}", "{}"), requiredTerms(expression(in("pool", "A"))));

    assertThat(merged.at(REQUIRED)).isEqualTo(json("[{}]"));
  }

  @Test
  void a_term_that_contains_another_is_absorbed_however_its_values_are_ordered() {
    JsonNode merged =
        merge(
            podRequiring(
                expression(in("pool", "B", "A"), in("zone", "z1")),
                expression(in("pool", "A", "B"))),
            requiredTerms(expression(in("pool", "A", "B"))));

    assertThat(merged.at(REQUIRED)).isEqualTo(json("[" + expression(in("pool", "A", "B")) + "]"));
  }

  @Test
  void fields_and_expressions_of_the_same_words_are_different_requirements() {
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
  void more_than_64_terms_are_refused_with_what_to_write_instead() {
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
  void sixty_four_terms_are_accepted() {
    JsonNode merged = merge(podRequiring(numbered("zone", 8)), requiredTerms(numbered("pool", 8)));

    assertThat(merged.at(REQUIRED)).hasSize(64);
  }

  @Test
  void a_list_of_thousands_of_terms_is_refused_before_any_work_is_done_on_it() {
    assertThat(
            SpecMerge.merge(
                json(podRequiring(numbered("zone", 5000))),
                List.of(config(requiredTerms(numbered("pool", 1))))))
        .isInstanceOf(MergeOutcome.Refused.class);
  }

  @Test
  void equal_preferences_are_there_once_and_the_pods_own_come_first() {
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
  void a_pod_term_with_an_empty_selector_is_not_the_one_without_a_selector() {
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
  void a_toleration_without_operator_equals_the_one_that_says_equal() {
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
  void of_two_spread_constraints_of_a_kind_the_pods_own_stays_and_it_is_said() {
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
  void the_pods_spec_itself_is_left_as_it_was() {
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
