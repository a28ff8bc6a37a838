package io.berth.engine.model;

import java.util.List;
import java.util.Optional;

/**
 * The GPU cards of a node, and what the agent that hands them to containers asks of the scheduler
 * that chooses among them.
 *
 * @param agent the kind of agent; empty where the node has none, and its cards are only counted
 * @param cards the cards by position
 * @param order whose choice of cards counts
 * @param atOnce how many pods the agent can serve at a time
 * @param problem why the cards cannot be used, though there may be some; then they are empty
 */
public record CardInventory(
    String agent, List<Card> cards, Order order, AtOnce atOnce, Optional<String> problem) {
  /** The side whose choice of cards counts. */
  public enum Order {
    /** Any choice will do: the agent follows it. */
    FREE,
    /**
     * The agent chooses by itself, container by container: of the cards that fit, the one with the
     * least computing power left, then with the least memory, then the first. Another choice fails.
     */
    FULLEST_FIRST
  }

  /** The number of pods that may wait for the agent to hand out their cards. */
  public enum AtOnce {
    ANY,
    /**
     * Pods that the agent can tell apart. It recognizes a pod by the amounts that its containers
     * ask for, and so is asked for one pod that shares cards at a time, or for pods that differ in
     * how many whole cards they want. It chooses whole cards by itself, so that shares wait until
     * it has said which it chose.
     */
    BY_AMOUNT,
    ONE
  }

  private static final CardInventory NONE = of(List.of());

  public CardInventory {
    cards = List.copyOf(cards);
  }

  /** A node whose cards, if it has any, nobody has described. */
  public static CardInventory none() {
    return NONE;
  }

  /** Cards of a nameless agent that follows every choice. */
  public static CardInventory of(List<Card> cards) {
    return new CardInventory("", cards, Order.FREE, AtOnce.ANY, Optional.empty());
  }

  /** A node whose agent describes its cards in a way that cannot be read. */
  public static CardInventory unusable(String agent, String problem) {
    return new CardInventory(agent, List.of(), Order.FREE, AtOnce.ANY, Optional.of(problem));
  }

  /** The name of a card: the agent's, or else its position. */
  public String id(int position) {
    String id = cards.get(position).id();
    return id.isEmpty() ? String.valueOf(position) : id;
  }
}
