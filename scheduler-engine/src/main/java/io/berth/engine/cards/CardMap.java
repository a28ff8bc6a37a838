package io.berth.engine.cards;

import io.berth.engine.model.CardInventory;
import io.berth.engine.model.PodRef;
import java.util.List;

/**
 * The GPU cards of a node with the pods that hold them.
 *
 * @param inventory the cards as the node's agent describes them
 * @param cards by position
 * @param unknown pods that hold unknown cards of the node; while there are any, pods that request
 *     cards are not placed on the node
 * @param awaiting pods that wait for the node's agent to assign their cards
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
   * The usage of a card. It may exceed the card's capacity if other schedulers placed pods.
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

  /** A container that holds all or part of a card. */
  public record Holder(PodRef pod, String container, int milliCores, long memoryMebibytes) {}
}
