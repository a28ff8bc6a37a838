package io.berth.engine.model;

import java.util.List;
import java.util.Optional;

/**
 * The GPU cards of a node, and the constraints of its agent, which assigns cards to containers, on
 * the scheduler's choice.
 *
 * @param agent the kind of agent; empty if the node has none, and its cards are only counted
 * @param cards the cards by position
 * @param order the order in which the agent assigns cards
 * @param atOnce the pods that the agent can serve at the same time
 * @param problem the reason why existing cards cannot be used; the list of cards is then empty
 * @param sums what the node reports as allocatable of resources that measure cards: its kubelet
 *     rejects a pod with which the sum of all requests would be larger
 */
public record CardInventory(
    String agent,
    List<Card> cards,
    Order order,
    AtOnce atOnce,
    Optional<String> problem,
    ResourceAmounts sums) {
  /** The order in which the agent assigns cards. */
  public enum Order {
    /** Any order: the agent follows the scheduler's choice. */
    FREE,
    /**
     * The agent's own order, container by container: of the cards that fit, the one with the least
     * free compute capacity, then with the least memory, then the first. Any other choice fails.
     */
    FULLEST_FIRST
  }

  /** The pods that may wait for the agent to assign their cards at the same time. */
  public enum AtOnce {
    ANY,
    /**
     * Pods that the agent can distinguish. It identifies a pod by the amounts that its containers
     * request. Therefore, at most one pod that shares cards may wait at a time, or several pods
     * with different numbers of whole cards. The agent chooses whole cards itself, so pods that
     * share cards wait until it has reported its choice.
     */
    BY_AMOUNT,
    ONE
  }

  private static final CardInventory NONE = of(List.of());

  public CardInventory {
    cards = List.copyOf(cards);
  }

  /** Creates an inventory of a node that reports no sums. */
  public CardInventory(
      String agent, List<Card> cards, Order order, AtOnce atOnce, Optional<String> problem) {
    this(agent, cards, order, atOnce, problem, ResourceAmounts.none());
  }

  /** Returns the same inventory of a node that reports these sums. */
  public CardInventory reporting(ResourceAmounts reported) {
    return new CardInventory(agent, cards, order, atOnce, problem, reported);
  }

  /** Returns the inventory of a node without described cards. */
  public static CardInventory none() {
    return NONE;
  }

  /** Returns cards of an unnamed agent that follows every choice. */
  public static CardInventory of(List<Card> cards) {
    return new CardInventory("", cards, Order.FREE, AtOnce.ANY, Optional.empty());
  }

  /** Returns the inventory of a node whose card description cannot be parsed. */
  public static CardInventory unusable(String agent, String problem) {
    return new CardInventory(agent, List.of(), Order.FREE, AtOnce.ANY, Optional.of(problem));
  }

  /** Returns the agent's name for a card, or else its position. */
  public String id(int position) {
    String id = cards.get(position).id();
    return id.isEmpty() ? String.valueOf(position) : id;
  }
}
