package io.berth.engine.api;

import io.berth.engine.decision.PreemptionCandidate;
import io.berth.engine.framework.Verdict;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The answer to a {@link AdviceRequest}. */
public sealed interface Advice {
  /**
   * The nodes that may run the pod, and their scores.
   *
   * @param allowed names of the nodes that may run the pod; empty if every node that fits may.
   *     Contains only nodes that were asked about
   * @param refusals the reasons for which nodes were refused, by node name
   * @param scores scores to add to the nodes' total scores
   * @param notes further messages for the pod's owner, such as which advisor was skipped and why
   */
  record Nodes(
      Optional<Set<String>> allowed,
      Map<String, Refused> refusals,
      List<Scores> scores,
      List<String> notes)
      implements Advice {
    public Nodes {
      allowed = allowed.map(Set::copyOf);
      refusals = Map.copyOf(refusals);
      scores = List.copyOf(scores);
      notes = List.copyOf(notes);
    }

    /** Returns advice that accepts every node that fits, without scores. */
    public static Nodes all() {
      return new Nodes(Optional.empty(), Map.of(), List.of(), List.of());
    }
  }

  /**
   * The reason for refusing a node.
   *
   * @param by the name of the advisor that refuses it
   */
  record Refused(String by, Verdict verdict) {}

  /**
   * The scores from one advisor.
   *
   * @param by its name
   * @param weight the multiplier of its scores, 1 to 1,000,000
   * @param byNode the scores by node name; a node that is not listed has 0. Weighted scores beyond
   *     {@link #LIMIT} are clamped to it
   */
  record Scores(String by, int weight, Map<String, Integer> byNode) {
    /**
     * The limit of the weighted score that one advisor adds to, or subtracts from, a node's total.
     */
    public static final int LIMIT = 30_000_000;

    public Scores {
      Map<String, Integer> bounded = new HashMap<>(byNode);
      int most = LIMIT / weight;
      bounded.replaceAll((node, score) -> Math.clamp(score, -most, most));
      byNode = Map.copyOf(bounded);
    }
  }

  /**
   * Nodes on which pods may be evicted, and the victims on each.
   *
   * @param candidates a subset of the nodes that were asked about; their victims may be different
   *     pods of the same node
   * @param notes further messages for the pod's owner
   */
  record Victims(List<PreemptionCandidate> candidates, List<String> notes) implements Advice {
    public Victims {
      candidates = List.copyOf(candidates);
      notes = List.copyOf(notes);
    }
  }

  /**
   * No advice is available, and the pod must not be placed without it. The attempt is retried after
   * a pause.
   *
   * @param message which advisor could not answer and why, for the pod's owner
   */
  record Unavailable(String message) implements Advice {}
}
