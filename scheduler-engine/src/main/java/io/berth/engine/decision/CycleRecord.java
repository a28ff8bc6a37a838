package io.berth.engine.decision;

import io.berth.engine.framework.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The record of one scheduling cycle, by outcome. */
public sealed interface CycleRecord extends DecisionRecord {

  /**
   * The pod was not tried, or the attempt was not completed.
   *
   * @param why the user-visible reason
   */
  record Untried(String policy, String policyRevision, int nodes, String why)
      implements CycleRecord {
    @Override
    public String message() {
      return BoundedText.cut(why);
    }
  }

  /**
   * A node was selected.
   *
   * @param rejected the rejections, in the policy's order
   */
  record Placed(
      String policy,
      String policyRevision,
      int nodes,
      int feasibleNodes,
      List<RejectionCount> rejected,
      ScoreTable scores,
      Map<String, Map<String, Verdict>> verdicts,
      String nodeName,
      List<String> notes)
      implements CycleRecord {

    @Override
    public int unconsideredNodes() {
      int known = feasibleNodes + rejected.stream().mapToInt(RejectionCount::nodes).sum();
      return Math.max(0, nodes - known);
    }

    @Override
    public List<Rejection> rejections() {
      return CycleRecord.byReason(rejected);
    }

    @Override
    public List<NodeScore> bestNodes() {
      return scores.write();
    }

    @Override
    public String message() {
      return "placed on %s, one of %d/%d nodes that fit".formatted(nodeName, feasibleNodes, nodes);
    }
  }

  /**
   * No node fits.
   *
   * @param rejected the rejections, in the policy's order
   * @param ofPod whether the only rejection is that of the pod as a whole
   * @param preemption the result of preemption; empty if it was not tried
   */
  record Rejected(
      String policy,
      String policyRevision,
      int nodes,
      List<RejectionCount> rejected,
      boolean ofPod,
      Map<String, Map<String, Verdict>> verdicts,
      List<PreemptionCandidate> preemptionCandidates,
      String preemption,
      List<String> notes)
      implements CycleRecord {

    @Override
    public List<Rejection> rejections() {
      return CycleRecord.byReason(rejected);
    }

    /** Returns the reasons in kube-scheduler's wording, truncated if they are too long. */
    @Override
    public String message() {
      StringBuilder message = new StringBuilder("0/").append(nodes).append(" nodes are available:");
      List<String> reasons = ofPod ? reasonsOfPod() : reasonsOfNodes();
      if (!reasons.isEmpty()) {
        message.append(' ').append(BoundedText.list(reasons)).append('.');
      }
      if (!preemption.isEmpty()) {
        message.append(' ').append(preemption);
      }
      return BoundedText.cut(message.toString());
    }

    private List<String> reasonsOfPod() {
      return List.of(BoundedText.list(rejected.getFirst().verdict().reasons()));
    }

    private List<String> reasonsOfNodes() {
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

  /**
   * The pod was tried together with the others of its group.
   *
   * @param group the group, for the pod's owner
   * @param of the record of the member that no node fits, or else of this one
   * @param message the outcome for the whole group
   */
  record OfGroup(String group, CycleRecord of, String message) implements CycleRecord {
    @Override
    public String policy() {
      return of.policy();
    }

    @Override
    public String policyRevision() {
      return of.policyRevision();
    }

    @Override
    public int nodes() {
      return of.nodes();
    }

    @Override
    public int feasibleNodes() {
      return of.feasibleNodes();
    }

    @Override
    public int unconsideredNodes() {
      return of.unconsideredNodes();
    }

    @Override
    public List<Rejection> rejections() {
      return of.rejections();
    }

    @Override
    public List<NodeScore> bestNodes() {
      return of.bestNodes();
    }

    @Override
    public Map<String, Map<String, Verdict>> verdicts() {
      return of.verdicts();
    }

    @Override
    public List<String> notes() {
      return of.notes();
    }
  }

  private static List<Rejection> byReason(List<RejectionCount> rejected) {
    List<Rejection> rejections = new ArrayList<>();
    for (RejectionCount count : rejected) {
      for (String reason : count.verdict().reasons()) {
        rejections.add(
            new Rejection(
                String.join(",", count.plugins()),
                reason,
                count.verdict().mayBeCuredByEviction(),
                count.nodes()));
      }
    }
    return rejections;
  }
}
