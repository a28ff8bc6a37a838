package io.berth.engine.cards;

import io.berth.engine.model.CardRequest;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The parts of its node's cards that a pod holds. Immutable. */
public final class HeldCards {
  private final int[] cards;
  private final CardRequest[] requests;

  private HeldCards(int size) {
    this.cards = new int[size];
    this.requests = new CardRequest[size];
  }

  /**
   * Returns the cards that a pod with these requests holds.
   *
   * @param positions the positions of the cards by container, as many as requested
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

  /** Returns the number of different cards that are held, in part or as a whole. */
  int span() {
    return (int) Arrays.stream(cards).distinct().count();
  }

  /** Returns the number of held parts of cards. */
  int size() {
    return cards.length;
  }

  /** Returns the position of the card of the i-th part. */
  int card(int i) {
    return cards[i];
  }

  /** Returns the request for the i-th part. */
  CardRequest request(int i) {
    return requests[i];
  }
}
