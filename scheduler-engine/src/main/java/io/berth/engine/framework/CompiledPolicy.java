package io.berth.engine.framework;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.cards.CardRules;
import io.berth.rules.label.NamespaceAccess;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A compiled SchedulingPolicy, immutable. A scheduling cycle uses one revision throughout.
 *
 * @param filters the filters, in the order in which they run
 * @param scores the scores with their weights, in the order in which they are reported
 * @param preemption the rules about which pods may be evicted
 * @param percentageOfNodesToScore the percentage of nodes to find feasible before the search ends,
 *     1 to 100; 0 for 50 minus one for each 125 nodes, but at least 5
 * @param checkAllFilters whether the other filters also check a node that one filter rejects
 * @param namespaces the namespaces whose pods it places
 * @param consultation the advisor that is consulted before a pod is placed
 * @param cards the rules for GPU cards
 * @param shadow the policy that is tried for a part of the pods, without effect
 * @param source the spec from which it was compiled; empty if it was made in another way
 */
public record CompiledPolicy(
    String name,
    String revision,
    List<FilterPlugin> filters,
    List<WeightedScore> scores,
    PreemptionRules preemption,
    int percentageOfNodesToScore,
    boolean checkAllFilters,
    NamespaceAccess namespaces,
    Optional<Consultation> consultation,
    CardRules cards,
    Optional<Shadow> shadow,
    Optional<SchedulingPolicySpec> source) {
  public CompiledPolicy {
    filters = List.copyOf(filters);
    scores = List.copyOf(scores);
  }

  /** Returns the scores that read gauges. */
  public List<GaugedScore> gaugedScores() {
    List<GaugedScore> gauged = new ArrayList<>();
    for (WeightedScore score : scores) {
      if (score.plugin() instanceof GaugedScore plugin) {
        gauged.add(plugin);
      }
    }
    return gauged;
  }

  /** Returns the same policy under another name. */
  public CompiledPolicy withName(String other) {
    return copy(other, filters, consultation, shadow, source);
  }

  /** Returns the same policy with other filters. */
  public CompiledPolicy withFilters(List<FilterPlugin> others) {
    return copy(name, others, consultation, shadow, Optional.empty());
  }

  /** Returns the same policy with this consultation. */
  public CompiledPolicy withConsultation(Consultation other) {
    return copy(name, filters, Optional.of(other), shadow, Optional.empty());
  }

  /** Returns the same policy with another shadow, or without. */
  public CompiledPolicy withShadow(Optional<Shadow> other) {
    return copy(name, filters, consultation, other, source);
  }

  private CompiledPolicy copy(
      String otherName,
      List<FilterPlugin> otherFilters,
      Optional<Consultation> otherConsultation,
      Optional<Shadow> otherShadow,
      Optional<SchedulingPolicySpec> otherSource) {
    return new CompiledPolicy(
        otherName,
        revision,
        otherFilters,
        scores,
        preemption,
        percentageOfNodesToScore,
        checkAllFilters,
        namespaces,
        otherConsultation,
        cards,
        otherShadow,
        otherSource);
  }

  /**
   * A scoring plugin and the weight of its score.
   *
   * @param weight 1 or more
   */
  public record WeightedScore(ScorePlugin plugin, long weight) {}
}
