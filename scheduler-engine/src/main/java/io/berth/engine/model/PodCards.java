package io.berth.engine.model;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The request of a pod for a node's GPU cards.
 *
 * @param requests what its containers ask for, in their order; those that ask for none are left out
 * @param models the card models that will do; empty where any will
 * @param agents the kinds of agents that understand the request, as {@link CardInventory#agent}
 *     names them; empty where any does
 * @param problem why no node can ever satisfy the pod, in words for its owner
 */
public record PodCards(
    List<CardRequest> requests, Set<String> models, Set<String> agents, Optional<String> problem) {
  private static final PodCards NONE =
      new PodCards(List.of(), Set.of(), Set.of(), Optional.empty());

  public PodCards {
    requests = List.copyOf(requests);
    models = Set.copyOf(models);
    agents = Set.copyOf(agents);
  }

  /** A pod that asks for no card. */
  public static PodCards none() {
    return NONE;
  }

  /** A pod that asks for this, of cards of any model. */
  public static PodCards of(CardRequest... requests) {
    return new PodCards(List.of(requests), Set.of(), Set.of(), Optional.empty());
  }

  /** A pod that asks for something that cannot be given. */
  public static PodCards impossible(String problem) {
    return new PodCards(List.of(), Set.of(), Set.of(), Optional.of(problem));
  }

  /** The same demand for cards of these models alone. */
  public PodCards of(Set<String> onlyModels) {
    return new PodCards(requests, onlyModels, agents, problem);
  }

  /** Returns whether the pod asks for nothing. */
  public boolean isEmpty() {
    return requests.isEmpty() && problem.isEmpty();
  }

  /** Returns whether agents of this kind understand the request. */
  public boolean suits(String agent) {
    return agents.isEmpty() || agents.contains(agent);
  }

  /** The number of whole cards that it asks for. */
  public int wholeCards() {
    int cards = 0;
    for (CardRequest request : requests) {
      cards += request.isWhole() ? request.cards() : 0;
    }
    return cards;
  }

  /**
   * Returns whether an agent that knows pods by the amounts they ask for may take one of the two
   * for the other, or give one the share that the other is to have.
   */
  public boolean isMistakenFor(PodCards other) {
    if (asksForShares() || other.asksForShares()) {
      return true;
    }
    for (CardRequest request : requests) {
      for (CardRequest of : other.requests) {
        if (request.cards() == of.cards()) {
          return true;
        }
      }
    }
    return false;
  }

  /** Returns whether it asks for a part of a card. */
  public boolean asksForShares() {
    for (CardRequest request : requests) {
      if (!request.isWhole()) {
        return true;
      }
    }
    return false;
  }
}
