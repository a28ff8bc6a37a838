package io.berth.engine.decision;

import io.berth.engine.framework.Verdict;
import java.util.List;
import java.util.Optional;

/**
 * The judgement of a policy about one node for a pod, beside the node that it would select.
 *
 * @param policy the name of the policy
 * @param policyRevision its revision
 * @param filters the verdicts of all filters that apply to the pod, in the policy's order
 * @param feasibleNodes the number of nodes that pass all filters
 * @param winner the node with the best score; empty if no node passes
 * @param winnerScore the score of that node
 * @param score the score of the node; empty if it does not pass, because scores are relative to the
 *     nodes that do
 */
public record NodeJudgement(
    String policy,
    String policyRevision,
    List<FilterVerdict> filters,
    int feasibleNodes,
    String winner,
    Optional<NodeScore> winnerScore,
    Optional<NodeScore> score) {
  public NodeJudgement {
    filters = List.copyOf(filters);
  }

  /**
   * The verdict of one filter on the node.
   *
   * @param rejection the reason why the filter rejects the node; empty if it passes
   * @param figures the figures behind the verdict, in words; empty if the filter has none
   * @param besideNominated whether the node would pass without the pods that are nominated for it
   */
  public record FilterVerdict(
      String plugin, Optional<Verdict> rejection, String figures, boolean besideNominated) {}

  /** Returns whether the node passes all filters. */
  public boolean fits() {
    return filters.stream().allMatch(filter -> filter.rejection().isEmpty());
  }
}
