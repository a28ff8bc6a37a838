package io.berth.engine.whatif;

import io.berth.engine.model.PodRef;
import io.berth.engine.whatif.PlacementAnswer.NotPlaced;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The answer to a question about a changed policy or config. Each pod is tried alone: it is taken
 * from its node, and placed again, while all others stay where they are.
 *
 * @param pods the number of pods that the change concerns: those that the policy serves, or would
 *     serve or deny
 * @param notTried how many of them have scheduling gates, wait for other pods of their group, or
 *     are of unknown origin
 * @param unknownOrigin of how many it is not known what they were before they were rendered
 * @param effects how many of the others are affected in which way; together with {@code notTried},
 *     they add up to {@code pods} unless the answer is truncated
 * @param changes the pods that are affected, the worst first and then by name, up to the limit of
 *     the question
 * @param victims the pods that would be evicted, and would not be today
 * @param advised whether a policy consults extenders, which were not asked: they accept everything
 * @param truncated whether the time ran out before all pods were tried
 */
public record PolicyAnswer(
    int pods,
    int notTried,
    int unknownOrigin,
    Map<PolicyEffect, Integer> effects,
    List<Change> changes,
    List<PodRef> victims,
    boolean advised,
    boolean truncated) {
  /** Copies the collections. */
  public PolicyAnswer {
    effects = Map.copyOf(effects);
    changes = List.copyOf(changes);
    victims = List.copyOf(victims);
  }

  /**
   * A pod that is affected.
   *
   * @param node the node on which it is; empty if it is pending
   * @param today the node to which it would go today; empty if it fits nowhere, or if this is not
   *     known
   * @param to the node to which it would go; empty if it would not be placed
   * @param victims the pods that would be evicted for it
   * @param notPlaced why it would not be placed; empty if it would be, or if it would be denied
   * @param denial why it would be denied when it is created; empty if it would not be
   */
  public record Change(
      PodRef pod,
      PolicyEffect effect,
      String node,
      String today,
      String to,
      List<PodRef> victims,
      Optional<NotPlaced> notPlaced,
      String denial) {
    /** Copies the victims. */
    public Change {
      victims = List.copyOf(victims);
    }
  }

  /** Returns how many pods are affected in this way. */
  public int count(PolicyEffect effect) {
    return effects.getOrDefault(effect, 0);
  }

  /** Returns how many pods were tried. */
  public int tried() {
    return effects.values().stream().mapToInt(Integer::intValue).sum();
  }
}
