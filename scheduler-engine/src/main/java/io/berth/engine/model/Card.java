package io.berth.engine.model;

/**
 * A GPU card of a node, as the node's agent describes it.
 *
 * @param id the agent's name for the card, such as a UUID or a number; empty if that is the card's
 *     position among the node's cards
 * @param model the card's model, such as {@code V100M32}; empty if it is not known @param
 *     milliCores its compute capacity, in thousandths of a card: {@link #MILLI_CORES}, unless the
 *     agent overcommits
 * @param memoryMebibytes its memory; 0 if it is not known, and then no share of it can be requested
 * @param slots the number of containers that may use it at the same time; 0 for any number
 * @param group the cards of a node with equal groups are linked directly (NVLink); empty if the
 *     card has no links
 * @param numaNode the NUMA node to which it is attached; -1 if it is not known
 * @param healthy whether it may be used
 */
public record Card(
    String id,
    String model,
    int milliCores,
    long memoryMebibytes,
    int slots,
    String group,
    int numaNode,
    boolean healthy) {
  /** The compute capacity of one card, in thousandths. */
  public static final int MILLI_CORES = 1_000;

  /**
   * Creates a card that is named by its position, and may be shared by any number of containers.
   */
  public Card(String model, long memoryMebibytes, String group, int numaNode, boolean healthy) {
    this("", model, MILLI_CORES, memoryMebibytes, 0, group, numaNode, healthy);
  }

  /** Returns the same card with another name. */
  public Card named(String other) {
    return new Card(other, model, milliCores, memoryMebibytes, slots, group, numaNode, healthy);
  }

  /** Returns the same card, which may not be used. */
  public Card asUnhealthy() {
    return new Card(id, model, milliCores, memoryMebibytes, slots, group, numaNode, false);
  }

  /** Returns a healthy card of which only the model is known. */
  public static Card of(String model) {
    return new Card(model, 0, "", -1, true);
  }
}
