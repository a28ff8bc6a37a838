package io.berth.benchmarks.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.engine.api.Decision;
import io.berth.engine.decision.DecisionRecord;
import io.berth.engine.decision.NodeScore;
import io.berth.engine.decision.PluginScore;
import io.berth.engine.framework.Verdict;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Checks one pod on one cluster: all filter verdicts, all scores, and the candidates of preemption.
 */
final class ScenarioCheck {
  private final Policies policies;
  private final EngineUnderTest engine;
  private final Differences differences = new Differences();

  ScenarioCheck(Policies policies, EngineUnderTest engine) {
    this.policies = policies;
    this.engine = engine;
  }

  /**
   * Returns the differences from the expected results. The scenario's objects are removed from the
   * engine again.
   */
  Differences check(JsonNode vector) {
    JsonNode scenario = vector.path("scenario");
    JsonNode expect = vector.path("expect");
    List<HasMetadata> objects = ClusterObjects.of(scenario);
    objects.forEach(engine::upsert);
    Pod pod = ClusterObjects.read(scenario.path("pod"), Pod.class);

    filtersAndScores(pod, expect);
    if (scenario.has("resourceSlices")) {
      new DeviceCheck(engine, differences).check(pod, scenario, expect, Policies.EVERY_FILTER);
      objects.reversed().forEach(engine::remove);
      return differences;
    }
    strategies(pod, expect);
    preemption(pod, expect, new VictimCriteria(scenario.path("pods")));

    objects.reversed().forEach(engine::remove);
    return differences;
  }

  private void filtersAndScores(Pod pod, JsonNode expect) {
    engine.serve(policies.everyFilter());
    DecisionRecord record = engine.decide(pod, Policies.EVERY_FILTER).record();
    engine.forget(EngineUnderTest.ref(pod));

    Map<String, String> verdicts = new TreeMap<>();
    record
        .verdicts()
        .forEach(
            (plugin, nodes) ->
                nodes.forEach(
                    (node, verdict) -> verdicts.put(plugin + " on " + node, words(verdict))));
    differences.compare("verdict", expectedVerdicts(expect.path("filters")), verdicts);

    List<String> feasible = new ArrayList<>();
    expect.path("feasible").forEach(node -> feasible.add(node.asText()));
    differences.compare(
        "feasible", feasible, record.bestNodes().stream().map(NodeScore::node).sorted().toList());

    Map<String, Long> totals = new TreeMap<>();
    record.bestNodes().forEach(node -> totals.put(node.node(), node.total()));
    if (expect.has("total")) {
      differences.compare("total", numbers(expect.path("total")), totals);
    }

    Map<String, Map<String, Long>> scores = scores(record);
    TreeSet<String> plugins = new TreeSet<>(scores.keySet());
    expect.path("scores").fieldNames().forEachRemaining(plugins::add);
    if (!expect.has("total")) {
      plugins.removeIf(plugin -> !expect.path("scores").has(plugin));
    }
    for (String plugin : plugins) {
      differences.compare(
          "score by " + plugin,
          withoutZeros(numbers(expect.path("scores").path(plugin))),
          withoutZeros(scores.getOrDefault(plugin, Map.of())));
    }
  }

  private void strategies(Pod pod, JsonNode expect) {
    expect
        .path("strategies")
        .properties()
        .forEach(
            strategy -> {
              engine.serve(policies.strategy(strategy.getKey()));
              DecisionRecord record = engine.decide(pod, strategy.getKey()).record();
              engine.forget(EngineUnderTest.ref(pod));
              Map<String, Long> totals = new TreeMap<>();
              record.bestNodes().forEach(node -> totals.put(node.node(), node.total()));
              differences.compare(
                  "score by " + strategy.getKey(), numbers(strategy.getValue()), totals);
            });
  }

  private void preemption(Pod pod, JsonNode expect, VictimCriteria criteria) {
    if (!expect.path("feasible").isEmpty()) {
      return;
    }
    engine.serve(policies.byDefault());
    Decision decision = engine.decide(pod, Policies.DEFAULT);
    engine.forget(EngineUnderTest.ref(pod));

    Map<String, String> expected = new TreeMap<>();
    expect
        .path("preemption")
        .properties()
        .forEach(
            candidate -> {
              List<String> victims = new ArrayList<>();
              candidate.getValue().path("pods").forEach(victim -> victims.add(victim.asText()));
              expected.put(
                  candidate.getKey(),
                  victims + " violating " + candidate.getValue().path("pdbViolations").asInt());
            });
    Map<String, String> actual = new TreeMap<>();
    decision
        .record()
        .preemptionCandidates()
        .forEach(
            candidate ->
                actual.put(
                    candidate.node(),
                    candidate.victims().stream().map(VictimCriteria::key).toList()
                        + " violating "
                        + candidate.budgetViolations()));
    differences.compare("victims", expected, actual);

    String nominated = decision instanceof Decision.Nominated choice ? choice.nodeName() : "";
    String expectedNode = expect.path("nominated").asText("");
    boolean equallyGood =
        !nominated.isEmpty()
            && !expectedNode.isEmpty()
            && criteria
                .of(expect.path("preemption").path(nominated))
                .equals(criteria.of(expect.path("preemption").path(expectedNode)));
    if (!equallyGood) {
      differences.compare("nominated", expectedNode, nominated);
    }
  }

  private static Map<String, String> expectedVerdicts(JsonNode filters) {
    Map<String, String> verdicts = new TreeMap<>();
    filters
        .properties()
        .forEach(
            plugin ->
                plugin
                    .getValue()
                    .properties()
                    .forEach(
                        node -> {
                          List<String> reasons = new ArrayList<>();
                          node.getValue().path("reasons").forEach(r -> reasons.add(r.asText()));
                          verdicts.put(
                              plugin.getKey() + " on " + node.getKey(),
                              words(node.getValue().path("code").asText(), reasons));
                        }));
    return verdicts;
  }

  private static String words(Verdict verdict) {
    String code = verdict.resolvable() ? "Unschedulable" : "UnschedulableAndUnresolvable";
    return words(verdict.error() ? "Error" : code, verdict.reasons());
  }

  /**
   * Returns a code with its reasons, sorted because kube-scheduler reports them in random order.
   */
  private static String words(String code, List<String> reasons) {
    return code + " " + reasons.stream().sorted().toList();
  }

  private static Map<String, Map<String, Long>> scores(DecisionRecord record) {
    Map<String, Map<String, Long>> scores = new TreeMap<>();
    for (NodeScore node : record.bestNodes()) {
      for (PluginScore plugin : node.plugins()) {
        scores
            .computeIfAbsent(plugin.plugin(), name -> new TreeMap<>())
            .put(node.node(), plugin.normalized());
      }
    }
    return scores;
  }

  static Map<String, Long> numbers(JsonNode map) {
    Map<String, Long> numbers = new TreeMap<>();
    map.properties().forEach(entry -> numbers.put(entry.getKey(), entry.getValue().asLong()));
    return numbers;
  }

  private static Map<String, Long> withoutZeros(Map<String, Long> scores) {
    Map<String, Long> rest = new TreeMap<>(scores);
    rest.values().removeIf(score -> score == 0);
    return rest;
  }
}
