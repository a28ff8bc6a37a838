package io.berth.engine.policy;

import io.berth.engine.cards.CardRules;
import io.berth.engine.framework.Consultation;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.GaugedScore;
import io.berth.engine.framework.PreemptionRules;
import io.berth.engine.framework.ScorePlugin;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A SchedulingPolicy that can serve: immutable, one revision for a whole scheduling cycle.
 *
 * @param filters in the order they are asked
 * @param scores with their weights, in the order they are reported
 * @param preemption which pods may be evicted for others
 * @param percentageOfNodesToScore of all nodes, how many must be found feasible before the search
 *     ends, 1 to 100; 0 for 50 less one for each 125 nodes, but at least 5
 * @param checkAllFilters whether a node that one filter rejects is shown to the others too
 * @param namespaces whose pods it places
 * @param consultation whose advice it wants before it places a pod
 * @param cards by which rules its pods get GPU cards
 */
public record CompiledPolicy(
    String name,
    String revision,
    List<FilterPlugin> filters,
    List<WeightedScore> scores,
    PreemptionRules preemption,
    int percentageOfNodesToScore,
    boolean checkAllFilters,
    NamespaceRule namespaces,
    Optional<Consultation> consultation,
    CardRules cards) {
  public CompiledPolicy {
    filters = List.copyOf(filters);
    scores = List.copyOf(scores);
  }

  /** The scores that read gauges. */
  public List<GaugedScore> gaugedScores() {
    List<GaugedScore> gauged = new ArrayList<>();
    for (WeightedScore score : scores) {
      if (score.plugin() instanceof GaugedScore plugin) {
        gauged.add(plugin);
      }
    }
    return gauged;
  }

  /** The same with other filters. */
  public CompiledPolicy withFilters(List<FilterPlugin> filters) {
    return new CompiledPolicy(
        name,
        revision,
        filters,
        scores,
        preemption,
        percentageOfNodesToScore,
        checkAllFilters,
        namespaces,
        consultation,
        cards);
  }

  /** The same, wanting somebody's advice. */
  public CompiledPolicy withConsultation(Consultation consultation) {
    return new CompiledPolicy(
        name,
        revision,
        filters,
        scores,
        preemption,
        percentageOfNodesToScore,
        checkAllFilters,
        namespaces,
        Optional.of(consultation),
        cards);
  }

  /**
   * A scoring plugin and how much its score counts.
   *
   * @param weight 1 or more
   */
  public record WeightedScore(ScorePlugin plugin, long weight) {}
}
