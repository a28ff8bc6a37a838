package io.berth.engine.cards;

import java.util.Set;

/**
 * The devices that the claims of a pod request, counted as cards. Pods with equal claims have equal
 * values.
 */
public interface ClaimedCards {
  /**
   * The cards that a pod asks for.
   *
   * @param cards the number of cards; 0 if the claims ask for none
   * @param milliGpu the share of each card, in thousandths
   * @param models the acceptable card models; empty if any is
   */
  record Share(int cards, int milliGpu, Set<String> models) {
    /** No cards. */
    public static final Share NONE = new Share(0, 0, Set.of());

    public Share {
      models = Set.copyOf(models);
    }
  }

  /** Returns the cards, by the devices and classes that are known now. */
  Share share();
}
