package io.berth.engine.cards;

import java.util.Collections;
import java.util.List;

/**
 * Sums over the GPU cards of all nodes.
 *
 * @param milliGpu the compute capacity of usable cards, in thousandths of a card
 * @param usedMilliGpu the part of {@code milliGpu} that pods hold
 * @param closedNodes the number of nodes with pods whose cards are unknown
 * @param unreadableNodes the number of nodes whose card description cannot be parsed
 * @param usableByFree the number of usable cards, by {@link #freeRange}
 * @param cards all described cards; empty if there are more than {@value #MOST_CARDS}
 */
public record CardTotals(
    long milliGpu,
    long usedMilliGpu,
    int closedNodes,
    int unreadableNodes,
    List<Integer> usableByFree,
    List<Card> cards) {
  /** The maximum number of cards that are reported individually. */
  public static final int MOST_CARDS = 512;

  /** The number of free ranges: nothing free, each quarter, and everything free. */
  public static final int FREE_RANGES = 6;

  private static final int ALL = 1_000;
  private static final int QUARTER = ALL / 4;

  private static final CardTotals NONE =
      new CardTotals(0, 0, 0, 0, Collections.nCopies(FREE_RANGES, 0), List.of());

  /**
   * One card.
   *
   * @param id its name on the node
   * @param usedMilliGpu the compute capacity that pods hold, in thousandths of a card
   */
  public record Card(String nodeName, String id, int usedMilliGpu) {}

  public CardTotals {
    usableByFree = List.copyOf(usableByFree);
    cards = List.copyOf(cards);
  }

  /** Returns the sums of a cluster without cards. */
  public static CardTotals none() {
    return NONE;
  }

  /** Returns the range of a card with this free capacity, in thousandths of a card. */
  public static int freeRange(int milliGpu) {
    if (milliGpu <= 0) {
      return 0;
    }
    return milliGpu >= ALL ? FREE_RANGES - 1 : 1 + milliGpu / QUARTER;
  }
}
