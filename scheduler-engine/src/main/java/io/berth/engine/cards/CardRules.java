package io.berth.engine.cards;

import java.util.Optional;

/**
 * The rules of a policy for cards.
 *
 * @param choice the strategy to choose cards of a node
 * @param target the pods for which free cards should stay usable; empty if they are learned
 * @param areOfPolicy whether the policy states them. Otherwise the devices of claims are chosen as
 *     kube-scheduler does
 */
public record CardRules(Choice choice, Optional<TargetWorkload> target, boolean areOfPolicy) {
  /** The strategy to choose cards of a node; among equivalent cards, the first is taken. */
  public enum Choice {
    /** Leaves the fewest fragments for the target workload. */
    LEAST_FRAGMENTATION,
    /** Takes the fullest card that fits. */
    BEST_FIT,
    /** Takes the emptiest card. */
    SPREAD,
    /**
     * Keeps several cards of a pod within one link group, or else one NUMA node, and takes single
     * cards from the group with the fewest free cards.
     */
    TOPOLOGY
  }

  private static final CardRules DEFAULTS =
      new CardRules(Choice.LEAST_FRAGMENTATION, Optional.empty(), false);

  /** Returns the rules of a policy without card rules. */
  public static CardRules defaults() {
    return DEFAULTS;
  }
}
