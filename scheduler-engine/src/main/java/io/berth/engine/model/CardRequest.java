package io.berth.engine.model;

/**
 * The request of one container for a node's GPU cards: whole cards, or the same share of each of
 * some cards.
 *
 * @param container its name
 * @param cards how many different cards, at least 1
 * @param milliCores how much of each card's computing power, in thousandths, 0 to 1000; 1000 means
 *     the whole card, memory included
 * @param memoryMebibytes how much of each card's memory; 0 for whole cards, and where none is asked
 *     for
 * @param memoryPercent the same as a part of the card's memory; 0 where the amount says it
 */
public record CardRequest(
    String container, int cards, int milliCores, long memoryMebibytes, int memoryPercent) {

  /** This many cards that no other pod may use. */
  public static CardRequest whole(String container, int cards) {
    return new CardRequest(container, cards, Card.MILLI_CORES, 0, 0);
  }

  /** A part of one card. */
  public static CardRequest share(String container, int milliCores, long memoryMebibytes) {
    return new CardRequest(container, 1, milliCores, memoryMebibytes, 0);
  }

  /** Returns whether the cards are to be used by nobody else. */
  public boolean isWhole() {
    return milliCores >= Card.MILLI_CORES;
  }

  /** The amount of a card's memory that is asked for, where a part of it is, in MiB. */
  public long memoryOf(long totalMebibytes) {
    return memoryPercent > 0 ? totalMebibytes * memoryPercent / 100 : memoryMebibytes;
  }
}
