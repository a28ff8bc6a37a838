package io.berth.engine;

import io.berth.engine.decision.PreemptionCandidate;
import io.berth.engine.framework.Verdict;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The answer to a {@link Consult}. */
public sealed interface Advice {
  /**
   * The nodes that may take the pod, and their scores.
   *
   * @param allowed names of the nodes that may take it; empty where every node that fits may. A
   *     node that was not asked about is not among them
   * @param refusals why a node that was asked about may not, by its name
   * @param scores what is added to the nodes' total scores
   * @param notes what else the pod's owner should know: who was passed over, and why
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

    /** Any node that fits may take the pod, and none is better than another. */
    public static Nodes all() {
      return new Nodes(Optional.empty(), Map.of(), List.of(), List.of());
    }
  }

  /**
   * The reason for which a node may not take the pod.
   *
   * @param by the name of who refuses it
   */
  record Refused(String by, Verdict verdict) {}

  /**
   * The scores that one advisor gives.
   *
   * @param by its name
   * @param weight what its scores are multiplied by, 1 to 1,000,000
   * @param byNode the scores by the node's name, 0 for those left out; weighted ones beyond {@link
   *     #LIMIT} count as the limit
   */
  record Scores(String by, int weight, Map<String, Integer> byNode) {
    /** The most that one advisor adds to a node's total or takes from it. */
    public static final int LIMIT = 30_000_000;

    public Scores {
      Map<String, Integer> bounded = new HashMap<>(byNode);
      int most = LIMIT / weight;
      bounded.replaceAll((node, score) -> Math.clamp(score, -most, most));
      byNode = Map.copyOf(bounded);
    }
  }

  /**
   * The nodes on which pods may be evicted, and which pods.
   *
   * @param candidates some of those that were asked about; their victims may be others on the same
   *     node
   * @param notes what else the pod's owner should know
   */
  record Victims(List<PreemptionCandidate> candidates, List<String> notes) implements Advice {
    public Victims {
      candidates = List.copyOf(candidates);
      notes = List.copyOf(notes);
    }
  }

  /**
   * There is no advice, and the pod must not be placed without it. It is tried again after a pause.
   *
   * @param message who could not answer and why, in words for the pod's owner
   */
  record Unavailable(String message) implements Advice {}
}
