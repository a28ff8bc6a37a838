package io.berth.engine.model;

/**
 * What one container asks of a node's GPU cards: whole cards, or a share of one card.
 *
 * @param container its name
 * @param cards how many cards, at least 1; exactly 1 for a share
 * @param milliCores how much of each card's computing power, in thousandths, 0 to 1000; 1000 means
 *     the whole card, memory included
 * @param memoryMebibytes how much of the card's memory; 0 for whole cards, and where none is asked
 *     for
 */
public record CardRequest(String container, int cards, int milliCores, long memoryMebibytes) {

  /** This many cards that no other pod may use. */
  public static CardRequest whole(String container, int cards) {
    return new CardRequest(container, cards, Card.MILLI_CORES, 0);
  }

  /** A part of one card. */
  public static CardRequest share(String container, int milliCores, long memoryMebibytes) {
    return new CardRequest(container, 1, milliCores, memoryMebibytes);
  }

  /** Whether the cards are to be used by nobody else. */
  public boolean isWhole() {
    return milliCores >= Card.MILLI_CORES;
  }
}
