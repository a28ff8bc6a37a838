package io.berth.engine.cards;

import io.berth.engine.model.CardRequest;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The parts of its node's cards that a pod holds; immutable. */
public final class HeldCards {
  private final int[] cards;
  private final CardRequest[] requests;

  private HeldCards(int size) {
    this.cards = new int[size];
    this.requests = new CardRequest[size];
  }

  /**
   * The cards that pods with these requests hold.
   *
   * @param positions the positions of the cards by container, as many as each request asks for
   */
  public static HeldCards of(List<CardRequest> requests, Map<String, List<Integer>> positions) {
    int size = 0;
    for (CardRequest request : requests) {
      size += request.cards();
    }
    HeldCards held = new HeldCards(size);
    int at = 0;
    for (CardRequest request : requests) {
      for (int card : positions.getOrDefault(request.container(), List.of())) {
        held.cards[at] = card;
        held.requests[at] = request;
        at++;
      }
    }
    return held;
  }

  /** Returns whether both hold the same parts of the same cards. */
  public boolean isLike(HeldCards other) {
    return Arrays.equals(cards, other.cards) && Arrays.equals(requests, other.requests);
  }

  /** Of how many different cards parts are held. */
  int span() {
    return (int) Arrays.stream(cards).distinct().count();
  }

  /** The number of parts of cards that are held. */
  int size() {
    return cards.length;
  }

  /** The position of the card. */
  int card(int i) {
    return cards[i];
  }

  /** The request that the card is held for. */
  CardRequest request(int i) {
    return requests[i];
  }
}
