package io.berth.engine.cards;

import java.util.Optional;

/**
 * The rules of a policy for cards.
 *
 * @param choice by what the cards of a node are chosen
 * @param target the pods that free cards should stay usable for; empty where that is learnt
 */
public record CardRules(Choice choice, Optional<TargetWorkload> target) {
  /** By what the cards of a node are chosen; where cards are alike, the first is taken. */
  public enum Choice {
    /** Leaves the fewest fragments for the target workload. */
    LEAST_FRAGMENTATION,
    /** Takes the fullest card that fits. */
    BEST_FIT,
    /** Takes the emptiest card. */
    SPREAD,
    /**
     * Keeps several cards of a pod within one link group, or else one NUMA node, and takes single
     * cards from where the fewest are free.
     */
    TOPOLOGY
  }

  private static final CardRules DEFAULTS =
      new CardRules(Choice.LEAST_FRAGMENTATION, Optional.empty());

  /** The rules of a policy that says nothing about cards. */
  public static CardRules defaults() {
    return DEFAULTS;
  }
}
