package io.berth.engine.kube;

import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.CardInventory;
import io.berth.engine.model.PodCards;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Optional;

/**
 * A parser for the card data that GPU agents write into nodes and pods. Stateless: the same object
 * leads to the same result. It never throws, regardless of the object's content.
 */
public interface CardReading {

  /** Returns the cards of a node. */
  CardInventory inventory(Node node);

  /** Returns a pod's request for cards. */
  PodCards demand(Pod pod);

  /**
   * Returns the cards that were assigned to a pod; empty if there is no data that can be parsed.
   *
   * @param demand the pod's request, from {@link #demand}
   */
  Optional<CardAssignment> assignment(Pod pod, PodCards demand);

  /**
   * Returns whether a bound pod is still waiting for its cards.
   *
   * @param demand the pod's request, from {@link #demand}
   */
  boolean awaitsCards(Pod pod, PodCards demand);

  /**
   * Returns whether a resource that containers request only measures cards, and is not offered by
   * nodes: it is not compared between pods and nodes.
   */
  boolean measuresCards(String resource);

  /** Returns a parser that ignores all data: cards are only counted. */
  static CardReading none() {
    return new CardReading() {
      @Override
      public CardInventory inventory(Node node) {
        return CardInventory.none();
      }

      @Override
      public PodCards demand(Pod pod) {
        return PodCards.none();
      }

      @Override
      public Optional<CardAssignment> assignment(Pod pod, PodCards demand) {
        return Optional.empty();
      }

      @Override
      public boolean awaitsCards(Pod pod, PodCards demand) {
        return false;
      }

      @Override
      public boolean measuresCards(String resource) {
        return false;
      }
    };
  }
}
