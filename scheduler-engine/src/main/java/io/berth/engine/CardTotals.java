package io.berth.engine;

/**
 * Sums over the GPU cards of all nodes.
 *
 * @param milliGpu the computing power of cards that may be used, in thousandths of a card
 * @param usedMilliGpu the part of it that pods hold
 * @param closedNodes nodes with pods whose cards nobody knows
 * @param unreadableNodes nodes whose description of their cards cannot be read
 */
public record CardTotals(long milliGpu, long usedMilliGpu, int closedNodes, int unreadableNodes) {
  private static final CardTotals NONE = new CardTotals(0, 0, 0, 0);

  /** The sums of a cluster without cards. */
  public static CardTotals none() {
    return NONE;
  }
}
