package io.berth.engine.model;

/**
 * A GPU card of a node, as the node's agent describes it.
 *
 * @param model the card's model, such as {@code V100M32}; empty where it is not known
 * @param memoryMebibytes its memory; 0 where it is not known, and then no part of it can be asked
 *     for
 * @param group the cards of a node with equal groups are linked directly (NVLink); empty where the
 *     card is linked with none
 * @param numaNode the NUMA node to which it is attached; -1 where it is not known
 * @param healthy whether it may be used
 */
public record Card(
    String model, long memoryMebibytes, String group, int numaNode, boolean healthy) {
  /** The computing power of one card, in thousandths. */
  public static final int MILLI_CORES = 1_000;

  /** A healthy card of which nothing but the model is known. */
  public static Card of(String model) {
    return new Card(model, 0, "", -1, true);
  }
}
