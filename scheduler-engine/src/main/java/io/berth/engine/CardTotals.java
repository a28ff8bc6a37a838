package io.berth.engine;

import java.util.Collections;
import java.util.List;

/**
 * Sums over the GPU cards of all nodes.
 *
 * @param milliGpu the computing power of cards that may be used, in thousandths of a card
 * @param usedMilliGpu the part of it that pods hold
 * @param closedNodes nodes with pods whose cards nobody knows
 * @param unreadableNodes nodes whose description of their cards cannot be read
 * @param usableByFree how many usable cards there are with this much free, by {@link #freeRange}
 * @param cards each card that is described; empty where there are more than {@value #MOST_CARDS}
 */
public record CardTotals(
    long milliGpu,
    long usedMilliGpu,
    int closedNodes,
    int unreadableNodes,
    List<Integer> usableByFree,
    List<Card> cards) {
  /** With more cards than this, they are not reported one by one. */
  public static final int MOST_CARDS = 512;

  /** The ranges: nothing free, some of each quarter, everything. */
  public static final int FREE_RANGES = 6;

  private static final int ALL = 1_000;
  private static final int QUARTER = ALL / 4;

  private static final CardTotals NONE =
      new CardTotals(0, 0, 0, 0, Collections.nCopies(FREE_RANGES, 0), List.of());

  /**
   * One card.
   *
   * @param id its name on the node
   * @param usedMilliGpu how much of its computing power pods hold, in thousandths of a card
   */
  public record Card(String nodeName, String id, int usedMilliGpu) {}

  public CardTotals {
    usableByFree = List.copyOf(usableByFree);
    cards = List.copyOf(cards);
  }

  /** The sums of a cluster without cards. */
  public static CardTotals none() {
    return NONE;
  }

  /** The range of a card of which so many thousandths are free. */
  public static int freeRange(int milliGpu) {
    if (milliGpu <= 0) {
      return 0;
    }
    return milliGpu >= ALL ? FREE_RANGES - 1 : 1 + milliGpu / QUARTER;
  }
}
