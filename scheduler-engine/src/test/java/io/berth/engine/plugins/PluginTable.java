package io.berth.engine.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.Engine;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Outcome;
import io.berth.engine.cards.CardRules;
import io.berth.engine.decision.DecisionRecord;
import io.berth.engine.decision.NodeScore;
import io.berth.engine.decision.PluginScore;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.Plugin;
import io.berth.engine.framework.PreemptionRules;
import io.berth.engine.framework.ScorePlugin;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.rules.label.NamespaceAccess;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/**
 * The verdicts and scores of a plugin, row by row: a pod, then each node with the pods that run
 * there and the verdict or score that is expected. Every row runs in an engine whose policy has
 * only this plugin.
 */
public final class PluginTable {
  /** The expectation that a pod passes. */
  public static final Optional<Verdict> PASSES = Optional.empty();

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final Plugin plugin;
  private final CompiledPolicy policy;
  private final List<Row> rows = new ArrayList<>();

  /** One row of the table. */
  private record Row(
      String name,
      PodModel pod,
      List<ClusterEvent> events,
      Map<String, Optional<Verdict>> verdicts,
      Map<String, Long> scores) {}

  private PluginTable(
      Plugin plugin, List<FilterPlugin> filters, List<CompiledPolicy.WeightedScore> scores) {
    this.plugin = plugin;
    this.policy =
        new CompiledPolicy(
            "table",
            "1",
            filters,
            scores,
            PreemptionRules.off(),
            100,
            true,
            NamespaceAccess.everywhere(),
            Optional.empty(),
            CardRules.defaults(),
            Optional.empty(),
            Optional.empty());
  }

  /** Creates a table of verdicts. */
  public static PluginTable ofFilter(FilterPlugin filter) {
    return new PluginTable(filter, List.of(filter), List.of());
  }

  /** Creates a table of normalized scores, 0 if the plugin does not score for the pod. */
  public static PluginTable ofScore(ScorePlugin score) {
    return new PluginTable(score, List.of(), List.of(new CompiledPolicy.WeightedScore(score, 1)));
  }

  /** Starts a row for a pending pod. */
  public PluginTable row(String name, Pods pod) {
    rows.add(new Row(name, pod.build(), new ArrayList<>(), new TreeMap<>(), new TreeMap<>()));
    return this;
  }

  /** Adds another object to the row's cluster, such as a namespace, a Service or a volume. */
  public PluginTable with(ClusterEvent event) {
    rows.getLast().events().add(event);
    return this;
  }

  /** Adds a node to the row, with its running pods and the expected verdict. */
  public PluginTable node(Nodes node, Optional<Verdict> verdict, Pods... running) {
    rows.getLast().verdicts().put(add(node, running), verdict);
    return this;
  }

  /** Adds a node to the row, with its running pods and the expected score. */
  public PluginTable node(Nodes node, long score, Pods... running) {
    rows.getLast().scores().put(add(node, running), score);
    return this;
  }

  private String add(Nodes node, Pods... running) {
    NodeModel model = node.build();
    List<ClusterEvent> events = rows.getLast().events();
    events.add(new ClusterEvent.NodeUpserted(model));
    for (Pods each : running) {
      PodModel pod = each.build();
      String name = "running-" + events.size();
      events.add(
          new ClusterEvent.PodUpserted(
              Pods.from(pod)
                  .ref(new PodRef(pod.ref().namespace(), name, "uid-" + name))
                  .on(model.name())
                  .build()));
    }
    return model.name();
  }

  /** Returns one test for each row. */
  public Stream<DynamicTest> tests() {
    return rows.stream().map(row -> DynamicTest.dynamicTest(row.name(), () -> check(row)));
  }

  private void check(Row row) {
    DecisionRecord record = decide(row).record();
    if (row.scores().isEmpty()) {
      Map<String, Verdict> rejected =
          record.verdicts().getOrDefault(plugin.name(), Map.<String, Verdict>of());
      Map<String, Optional<Verdict>> said = new TreeMap<>();
      row.verdicts().keySet().forEach(n -> said.put(n, Optional.ofNullable(rejected.get(n))));
      assertThat(said).isEqualTo(row.verdicts());
    } else {
      Map<String, Long> said = new TreeMap<>();
      for (NodeScore node : record.bestNodes()) {
        said.put(
            node.node(),
            node.plugins().stream().mapToLong(PluginScore::normalized).findFirst().orElse(0));
      }
      assertThat(said).isEqualTo(row.scores());
    }
  }

  private Decision decide(Row row) {
    Engine engine =
        new Engine(
            EngineOptions.defaults()
                .withTieOrder(EngineOptions.TieOrder.BY_NAME)
                .recordingEverything());
    engine.apply(new ClusterEvent.PolicyServed(policy), NOW);
    engine.apply(new ClusterEvent.DefaultPolicyChanged(policy.name()), NOW);
    row.events().forEach(event -> assertThat(engine.apply(event, NOW)).isEmpty());
    assertThat(engine.apply(new ClusterEvent.PodUpserted(row.pod()), NOW)).isEmpty();
    Outcome outcome = engine.next(NOW);
    assertThat(outcome).isInstanceOfAny(Decision.Placed.class, Decision.Unschedulable.class);
    return (Decision) outcome;
  }
}
