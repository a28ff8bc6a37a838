package io.berth.engine.cycle;

import io.berth.engine.api.Advice;
import io.berth.engine.decision.RejectionCount;
import io.berth.engine.framework.Verdict;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** An advisor's answer about nodes, applied to the current nodes. */
public final class Advised {
  private final String name;
  private final Advice.Nodes advice;
  private final NodeTable nodes;
  private final Map<Advice.Refused, Integer> refused = new LinkedHashMap<>();
  private final List<Integer> curable = new ArrayList<>();

  /**
   * @param name the name of the advisor
   */
  public Advised(String name, Advice.Nodes advice, NodeTable nodes) {
    this.name = name;
    this.advice = advice;
    this.nodes = nodes;
  }

  List<String> notes() {
    return advice.notes();
  }

  /** Returns those of the nodes that may run the pod. */
  NodeSet among(NodeSet feasible) {
    Optional<Set<String>> allowed = advice.allowed();
    if (allowed.isEmpty()) {
      return feasible;
    }
    refused.clear();
    curable.clear();
    NodeSet left = new NodeSet(nodes.slots());
    feasible.forEach(
        slot -> {
          String nodeName = nodes.name(slot);
          if (allowed.get().contains(nodeName)) {
            left.add(slot);
          } else {
            Advice.Refused refusal = advice.refusals().get(nodeName);
            if (refusal == null) {
              refusal = withoutReason();
            }
            refused.merge(refusal, 1, Integer::sum);
            if (refusal.verdict().resolvable()) {
              curable.add(slot);
            }
          }
        });
    return left;
  }

  private Advice.Refused withoutReason() {
    return new Advice.Refused(name, Verdict.unresolvable("node(s) were not accepted by " + name));
  }

  /** Returns the number of refused nodes, by reason. */
  List<RejectionCount> rejections() {
    List<RejectionCount> rejections = new ArrayList<>();
    refused.forEach(
        (refusal, count) ->
            rejections.add(RejectionCount.by(refusal.by(), refusal.verdict(), count)));
    return rejections;
  }

  /** Adds the nodes that were refused for a reason that evictions may resolve. */
  void addCurable(NodeSet target) {
    curable.forEach(target::add);
  }

  /** Returns the scores of the advisors. */
  List<Advice.Scores> scores() {
    return advice.scores();
  }

  /** Returns one advisor's scores, by slot. */
  int[] scores(Advice.Scores given, int slots) {
    int[] scores = new int[slots];
    given
        .byNode()
        .forEach(
            (nodeName, score) -> {
              int slot = nodes.slotOf(nodeName);
              if (slot >= 0) {
                scores[slot] = score;
              }
            });
    return scores;
  }
}
