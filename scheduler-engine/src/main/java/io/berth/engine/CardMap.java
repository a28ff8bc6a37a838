package io.berth.engine;

import io.berth.engine.model.CardInventory;
import java.util.List;

/**
 * The GPU cards of a node with the pods that hold them.
 *
 * @param inventory the cards as the node's agent describes them
 * @param cards by position
 * @param unknown pods that hold cards of the node, but nobody knows which; while there is one, the
 *     node is closed to pods that ask for cards
 * @param awaiting pods that wait for the node's agent to hand out their cards
 */
public record CardMap(
    String nodeName,
    CardInventory inventory,
    List<CardUse> cards,
    List<PodRef> unknown,
    List<PodRef> awaiting) {
  public CardMap {
    cards = List.copyOf(cards);
    unknown = List.copyOf(unknown);
    awaiting = List.copyOf(awaiting);
  }

  /**
   * The use of a card. It may exceed the card, if pods were placed by others.
   *
   * @param usedMilliCores in thousandths of a card
   * @param holders the containers that use it
   */
  public record CardUse(
      String id, int usedMilliCores, long usedMemoryMebibytes, List<Holder> holders) {
    public CardUse {
      holders = List.copyOf(holders);
    }
  }

  /** A container that holds a part of a card, or all of it. */
  public record Holder(PodRef pod, String container, int milliCores, long memoryMebibytes) {}
}
