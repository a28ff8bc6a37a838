package io.berth.engine;

import io.berth.engine.framework.Verdict;
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
   * @param scores what is added to a node's total score, by its name; 0 for those left out
   */
  record Nodes(
      Optional<Set<String>> allowed, Map<String, Verdict> refusals, Map<String, Integer> scores)
      implements Advice {
    public Nodes {
      allowed = allowed.map(Set::copyOf);
      refusals = Map.copyOf(refusals);
      scores = Map.copyOf(scores);
    }

    /** Any node that fits may take the pod, and none is better than another. */
    public static Nodes all() {
      return new Nodes(Optional.empty(), Map.of(), Map.of());
    }
  }

  /**
   * There is no advice, and the pod must not be placed without it. It is tried again after a pause.
   *
   * @param message who could not answer and why, in words for the pod's owner
   */
  record Unavailable(String message) implements Advice {}
}
