package io.berth.engine.cards;

import io.berth.engine.model.Card;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.CardRequest;
import java.util.List;

/** How much of which of its node's cards a pod holds; immutable. */
public final class HeldCards {
  private final int[] cards;
  private final int[] milliCores;
  private final long[] memory;

  private HeldCards(int size) {
    this.cards = new int[size];
    this.milliCores = new int[size];
    this.memory = new long[size];
  }

  /**
   * What pods with these requests hold by an assignment that {@link CardAssignment#answers} them.
   */
  public static HeldCards of(List<CardRequest> requests, CardAssignment assignment) {
    int size = 0;
    for (CardRequest request : requests) {
      size += request.cards();
    }
    HeldCards held = new HeldCards(size);
    int at = 0;
    for (CardRequest request : requests) {
      for (int card : assignment.cards().getOrDefault(request.container(), List.of())) {
        held.cards[at] = card;
        held.milliCores[at] = request.milliCores();
        held.memory[at] = request.memoryMebibytes();
        at++;
      }
    }
    return held;
  }

  /** How many parts of cards are held. */
  int size() {
    return cards.length;
  }

  /** The index of the card. */
  int card(int i) {
    return cards[i];
  }

  int milliCores(int i) {
    return milliCores[i];
  }

  /** In MiB. */
  long memory(int i) {
    return memory[i];
  }

  boolean isWhole(int i) {
    return milliCores[i] >= Card.MILLI_CORES;
  }
}
