package io.berth.demo.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.berth.demo.cluster.Checkout;
import io.berth.operator.record.Metric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Alerts and dashboard, which use only existing metrics and labels. Each alert says what to do. */
class MonitoringTest {

  private static final Path ROOT = Checkout.find().root();
  private static final Chart CHART = new Chart(ROOT);

  /** Labels that Prometheus adds when scraping. */
  private static final Set<String> OF_SCRAPING = Set.of("instance", "job", "namespace", "pod");

  private static Stream<JsonNode> stream(JsonNode list) {
    return StreamSupport.stream(list.spliterator(), false);
  }

  private static Stream<JsonNode> alerts() throws IOException {
    JsonNode file = new YAMLMapper().readTree(CHART.folder().resolve("files/alerts.yaml").toFile());
    return stream(file.path("groups")).flatMap(group -> stream(group.path("rules")));
  }

  private static JsonNode dashboard() throws IOException {
    return new ObjectMapper().readTree(CHART.folder().resolve("files/dashboard.json").toFile());
  }

  @TestFactory
  Stream<DynamicTest> alert_isAboutKnownMetrics_andHasASectionInTheRunbook() throws IOException {
    String runbook = Files.readString(ROOT.resolve("docs").resolve("runbook.md"));
    return alerts()
        .map(
            alert -> {
              String name = alert.path("alert").asText();
              return DynamicTest.dynamicTest(
                  name,
                  () -> {
                    checkExpression(alert.path("expr").asText());
                    assertThat(alert.path("for").asText("1m")).matches("[0-9]+[smh]");
                    assertThat(alert.at("/labels/severity").asText())
                        .isIn("critical", "warning", "info");
                    assertThat(alert.at("/annotations/summary").asText()).endsWith(".");
                    assertThat(alert.at("/annotations/runbook").asText())
                        .isEqualTo("docs/runbook.md#" + name.toLowerCase(Locale.ROOT));
                    assertThat(runbook).containsPattern("(?m)^### " + name + "\n\n\\S");
                  });
            });
  }

  @Test
  void everySectionOfTheRunbook_isOfAnAlert() throws IOException {
    Set<String> alerts =
        alerts().map(alert -> alert.path("alert").asText()).collect(Collectors.toSet());
    String runbook = Files.readString(ROOT.resolve("docs").resolve("runbook.md"));

    assertThat(runbook.substring(runbook.indexOf("## Alerts")).lines())
        .filteredOn(line -> line.startsWith("### "))
        .extracting(line -> line.substring("### ".length()))
        .doesNotHaveDuplicates()
        .containsExactlyInAnyOrderElementsOf(alerts);
  }

  @TestFactory
  Stream<DynamicTest> panel_showsKnownMetrics() throws IOException {
    return stream(dashboard().path("panels"))
        .map(
            panel ->
                DynamicTest.dynamicTest(
                    panel.path("title").asText(),
                    () -> {
                      assertThat(panel.path("targets")).isNotEmpty();
                      panel
                          .path("targets")
                          .forEach(target -> checkExpression(target.path("expr").asText()));
                    }));
  }

  @Test
  void panels_haveIdsOfTheirOwn() throws IOException {
    assertThat(stream(dashboard().path("panels")).map(panel -> panel.path("id").asInt()))
        .doesNotHaveDuplicates();
  }

  @Test
  void chart_bringsThem_whenAsked() throws IOException {
    JsonNode rules =
        CHART.objects("alerts: {enabled: true, labels: {release: prometheus}}").stream()
            .filter(object -> object.path("kind").asText().equals("PrometheusRule"))
            .findFirst()
            .orElseThrow();
    JsonNode map =
        CHART.objects("dashboard: {enabled: true}").stream()
            .filter(object -> object.at("/metadata/name").asText().equals("berth-dashboard"))
            .findFirst()
            .orElseThrow();

    assertThat(rules.at("/spec/groups/0/rules")).hasSize((int) alerts().count());
    assertThat(rules.at("/metadata/labels/release").asText()).isEqualTo("prometheus");
    assertThat(new ObjectMapper().readTree(map.path("data").path("berth.json").asText()))
        .isEqualTo(dashboard());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sum(berth_leading",
        "rate(berth_events_dropped_total)",
        "sum by () (berth_leading)",
        "berth_leading >",
        "berth_leading{queue=active}",
        "berth_leading berth_leading",
        "histogram_quantile(99, berth_leading)"
      })
  void expressionThatIsNotWellFormed_isRefused(String expression) {
    assertThatThrownBy(() -> PromQl.parse(expression)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "berth_lead == 1",
        "sum by (queue) (berth_leading)",
        "berth_binding_duration_seconds > 1",
        "scheduler_pending_pods{que=\"active\"}"
      })
  void unknownMetricOrLabel_isFound(String expression) {
    assertThatThrownBy(() -> checkExpression(expression)).isInstanceOf(AssertionError.class);
  }

  private static void checkExpression(String expression) {
    for (PromQl.Selector selector : PromQl.parse(expression)) {
      if (selector.metric().equals("jvm_memory_used_bytes")) {
        continue; // Micrometer's
      }
      Optional<Metric> metric =
          Arrays.stream(Metric.values())
              .filter(each -> each.series().contains(selector.metric()))
              .findFirst();
      assertThat(metric).as("%s in %s", selector.metric(), expression).isPresent();
      for (String label : selector.labels()) {
        assertThat(
                OF_SCRAPING.contains(label)
                    || metric.orElseThrow().hasLabel(label, selector.metric()))
            .as("label %s of %s in %s", label, selector.metric(), expression)
            .isTrue();
      }
    }
  }
}
