package io.berth.demo.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.berth.demo.chart.RuleEvaluation.Series;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.ground.BerthGround;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The alert rules on the metrics of a running Berth: none fires while nothing has failed, and each
 * fires after the first failure. Only series that exist before the failure are changed, because
 * Prometheus sees no increase of a series that appears with it.
 */
class AlertRulesTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final Instant NOW = START.plus(Duration.ofMinutes(15));

  /** The effect of a failure on the series of an alert. */
  private sealed interface Failure {
    /** Counters increase. */
    record Counts(double by, String metric, Map<String, String> labels) implements Failure {}

    /** A gauge gets a value. */
    record Reads(double value, String metric) implements Failure {}

    /** All measurements exceed a number of seconds. */
    record Lasts(double seconds, String metric) implements Failure {}
  }

  private static final Map<String, Failure> FAILURES = failures();

  /** Alerts of which the test cannot know a series before the failure, with the reason. */
  private static final Map<String, String> OF_OBJECTS =
      Map.of(
          "BerthLoadNotMeasured", "a policy that scores by measured load has its own series",
          "BerthGuaranteeNotMet", "a SchedulingQueue has its own series",
          "BerthExtenderErrors", "an extender has its own series, and the rule needs a rate",
          "BerthWebhookSlow", "each path has its own series from its first review on",
          "BerthWebhookFails", "each path has its own series, and the rule needs a rate");

  private static Map<Series, Double> page;

  private static Map<String, Failure> failures() {
    Map<String, Failure> failures = new LinkedHashMap<>();
    failures.put("BerthNoLeader", new Failure.Reads(0, "berth_leading"));
    failures.put("BerthSeveralLeaders", new Failure.Reads(2, "berth_leading"));
    failures.put("BerthCannotWatch", new Failure.Reads(61, "berth_watch_unseen_seconds"));
    failures.put("BerthWebhookNotRegistered", new Failure.Reads(0, "berth_webhook_registered"));
    failures.put("BerthPodsUnrendered", new Failure.Reads(1, "berth_pods_unrendered"));
    failures.put("BerthPlatformMistakes", once("berth_webhook_platform_mistakes_total"));
    failures.put("BerthQueueGrows", new Failure.Reads(1001, "scheduler_pending_pods"));
    failures.put(
        "BerthSchedulingErrors",
        new Failure.Counts(
            60, "scheduler_schedule_attempts_total", Map.of("result", "error"))); // 0.2 per second
    failures.put("BerthBindingsSlow", new Failure.Lasts(5, "berth_binding_duration_seconds"));
    failures.put("BerthEngineFailures", once("berth_engine_failures_total"));
    failures.put("BerthPodsQuarantined", once("berth_quarantined_pods_total"));
    failures.put("BerthObjectsRefused", once("berth_refused_objects_total"));
    failures.put("BerthEventsDropped", once("berth_events_dropped_total"));
    failures.put("BerthNodesOvercommitted", once("berth_shared_nodes_evictions_total"));
    failures.put("BerthForeignBindings", once("berth_foreign_bindings_total"));
    failures.put(
        "BerthGroupStatusFails",
        new Failure.Counts(6, "berth_group_status_failures_total", Map.of())); // more than 5
    return failures;
  }

  private static Failure once(String metric) {
    return new Failure.Counts(1, metric, Map.of());
  }

  @BeforeAll
  static void scrape() throws Exception {
    try (BerthGround ground = BerthGround.start();
        InputStream stream = ground.berth().httpUrl().resolve("/metrics").toURL().openStream()) {
      page = RuleEvaluation.scrape(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  @AfterAll
  static void forget() {
    page = Map.of();
  }

  private static Map<String, String> rules() throws Exception {
    Map<String, String> rules = new LinkedHashMap<>();
    JsonNode file =
        new YAMLMapper()
            .readTree(
                new Chart(Checkout.find().root()).folder().resolve("files/alerts.yaml").toFile());
    file.at("/groups/0/rules")
        .forEach(rule -> rules.put(rule.path("alert").asText(), rule.path("expr").asText()));
    return rules;
  }

  private static Map<Map<String, String>, Double> evaluate(
      String rule, Map<Series, Double> before, Map<Series, Double> now) {
    NavigableMap<Instant, Map<Series, Double>> scrapes = new TreeMap<>();
    for (Instant at = START; at.isBefore(NOW); at = at.plus(Duration.ofMinutes(1))) {
      scrapes.put(at, before);
    }
    scrapes.put(NOW, now);
    return RuleEvaluation.evaluate(scrapes, rule, NOW);
  }

  private static Map<Series, Double> after(Failure failure) {
    return switch (failure) {
      case Failure.Counts(double by, String metric, Map<String, String> labels) ->
          changed(
              (series, value) ->
                  series.name().equals(metric)
                      && series.labels().entrySet().containsAll(labels.entrySet()),
              by,
              true);
      case Failure.Reads(double value, String metric) ->
          changed((series, old) -> series.name().equals(metric), value, false);
      case Failure.Lasts(double seconds, String metric) ->
          changed(
              (series, old) ->
                  series.name().equals(metric + "_bucket")
                      && Double.parseDouble(series.labels().get("le").replace("+Inf", "Infinity"))
                          > seconds,
              100,
              true);
    };
  }

  private static Map<Series, Double> changed(
      BiPredicate<Series, Double> affected, double number, boolean add) {
    Map<Series, Double> now = new HashMap<>(page);
    now.replaceAll(
        (series, value) -> affected.test(series, value) ? (add ? value + number : number) : value);
    return now;
  }

  @TestFactory
  Iterable<DynamicTest> alert_firesAfterTheFirstFailure_andNotBefore() throws Exception {
    return rules().entrySet().stream()
        .filter(rule -> !OF_OBJECTS.containsKey(rule.getKey()))
        .map(
            rule ->
                DynamicTest.dynamicTest(
                    rule.getKey(),
                    () -> {
                      assertThat(evaluate(rule.getValue(), page, page)).as("before").isEmpty();
                      assertThat(FAILURES).containsKey(rule.getKey());
                      assertThat(
                              evaluate(rule.getValue(), page, after(FAILURES.get(rule.getKey()))))
                          .as("after")
                          .isNotEmpty();
                    }))
        .toList();
  }

  @Test
  void alertsOfObjects_areSilent_whileThereIsNoneOfThem() throws Exception {
    Map<String, String> rules = rules();

    OF_OBJECTS.forEach(
        (alert, reason) ->
            assertThat(evaluate(rules.get(alert), page, page))
                .as("%s: %s", alert, reason)
                .isEmpty());
  }

  @Test
  void counterThatAppearsWithItsFirstFailure_hasNotIncreased() {
    Series late = new Series("late_total", Map.of());
    Map<Series, Double> now = Map.of(late, 1.0);

    assertThat(evaluate("increase(late_total[15m]) > 0", Map.of(), now)).isEmpty();
    assertThat(evaluate("increase(late_total[15m]) > 0", Map.of(late, 0.0), now)).hasSize(1);
  }
}
