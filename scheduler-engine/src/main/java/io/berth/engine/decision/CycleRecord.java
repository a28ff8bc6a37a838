package io.berth.engine.decision;

import io.berth.engine.BoundedText;
import io.berth.engine.framework.Verdict;
import io.berth.engine.policy.CompiledPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The record of one scheduling cycle.
 *
 * @param rejected in the policy's order
 * @param rejectsPod whether the one rejection there is, is of the pod as a whole
 * @param prefix said before everything else, where the pod was not even tried; else empty
 * @param suffix what preemption said; empty where it was not tried
 * @param placedOn the node the pod was placed on; empty where it was not
 */
public record CycleRecord(
    String policy,
    String policyRevision,
    int nodes,
    int feasibleNodes,
    List<RejectionCount> rejected,
    boolean rejectsPod,
    ScoreTable scores,
    Map<String, Map<String, Verdict>> verdicts,
    List<PreemptionCandidate> preemptionCandidates,
    String prefix,
    String suffix,
    String placedOn)
    implements DecisionRecord {

  /** The record of a pod that could not be tried. */
  public static CycleRecord untried(String policy, int nodes, String why) {
    return new CycleRecord(
        policy, "", nodes, 0, List.of(), false, ScoreTable.EMPTY, Map.of(), List.of(), why, "", "");
  }

  /** The record of a pod that fits, and is not placed as advice is missing. */
  public static CycleRecord unadvised(CompiledPolicy policy, int nodes, String why) {
    return new CycleRecord(
        policy.name(),
        policy.revision(),
        nodes,
        0,
        List.of(),
        false,
        ScoreTable.EMPTY,
        Map.of(),
        List.of(),
        why,
        "",
        "");
  }

  @Override
  public List<Rejection> rejections() {
    List<Rejection> rejections = new ArrayList<>();
    for (RejectionCount count : rejected) {
      for (String reason : count.verdict().reasons()) {
        rejections.add(
            new Rejection(count.plugin(), reason, count.verdict().resolvable(), count.nodes()));
      }
    }
    return rejections;
  }

  @Override
  public List<NodeScore> bestNodes() {
    return scores.write();
  }

  /** As kube-scheduler says it, as long as that is not too long. */
  @Override
  public String message() {
    return BoundedText.cut(fullMessage());
  }

  private String fullMessage() {
    if (!prefix.isEmpty()) {
      return prefix;
    }
    if (!placedOn.isEmpty()) {
      return "placed on "
          + placedOn
          + ", one of "
          + feasibleNodes
          + "/"
          + nodes
          + " nodes that fit";
    }
    if (nodes == 0) {
      return "no nodes available to schedule pods";
    }
    StringBuilder message = new StringBuilder("0/").append(nodes).append(" nodes are available:");
    List<String> parts = rejectsPod ? wholePod() : histogram();
    if (!parts.isEmpty()) {
      message.append(' ').append(BoundedText.list(parts)).append('.');
    }
    if (!suffix.isEmpty()) {
      message.append(' ').append(suffix);
    }
    return message.toString();
  }

  private List<String> wholePod() {
    return List.of(BoundedText.list(rejected.getFirst().verdict().reasons()));
  }

  private List<String> histogram() {
    Map<String, Integer> counts = new TreeMap<>();
    for (RejectionCount count : rejected) {
      for (String reason : count.verdict().reasons()) {
        counts.merge(reason, count.nodes(), Integer::sum);
      }
    }
    List<String> parts = new ArrayList<>();
    counts.forEach((reason, count) -> parts.add(count + " " + reason));
    parts.sort(null);
    return parts;
  }
}
