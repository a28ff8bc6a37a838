package io.berth.engine.model;

/**
 * The request of one container for a node's GPU cards: whole cards, or the same share of each of
 * some cards.
 *
 * @param container its name
 * @param cards the number of different cards, at least 1
 * @param milliCores the compute capacity on each card, in thousandths, 0 to 1000; 1000 means the
 *     whole card, including its memory
 * @param memoryMebibytes the memory on each card; 0 for whole cards, and if none is requested
 * @param memoryPercent the memory on each card, in percent; 0 if it is requested as an amount
 */
public record CardRequest(
    String container, int cards, int milliCores, long memoryMebibytes, int memoryPercent) {

  /** Returns a request for this many cards that no other pod may use. */
  public static CardRequest whole(String container, int cards) {
    return new CardRequest(container, cards, Card.MILLI_CORES, 0, 0);
  }

  /** Returns a request for a share of one card. */
  public static CardRequest share(String container, int milliCores, long memoryMebibytes) {
    return new CardRequest(container, 1, milliCores, memoryMebibytes, 0);
  }

  /** Returns whether the request is for whole cards. */
  public boolean isWhole() {
    return milliCores >= Card.MILLI_CORES;
  }

  /** Returns the requested memory of a shared card with this total, in MiB. */
  public long memoryOf(long totalMebibytes) {
    return memoryPercent > 0 ? totalMebibytes * memoryPercent / 100 : memoryMebibytes;
  }
}
