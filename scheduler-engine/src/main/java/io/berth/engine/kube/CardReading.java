package io.berth.engine.kube;

import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.CardInventory;
import io.berth.engine.model.PodCards;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Optional;

/**
 * The reading of what the agents of GPU cards write into nodes and pods. Stateless: the same object
 * gives the same answer. Nothing is thrown, whatever the object holds.
 */
public interface CardReading {

  /** The cards of a node. */
  CardInventory inventory(Node node);

  /** The request of a pod for a node's cards. */
  PodCards demand(Pod pod);

  /** The cards that a pod was given; empty where it says nothing that can be read. */
  Optional<CardAssignment> assignment(Pod pod);

  /** Returns whether the pod, which is on a node, has not been handed its cards yet. */
  boolean awaitsCards(Pod pod);

  /**
   * Returns whether a resource that containers request is a measure of cards alone, which no node
   * offers: nodes and pods are not compared by it.
   */
  boolean measuresCards(String resource);

  /** Reads nothing: cards are only counted. */
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
      public Optional<CardAssignment> assignment(Pod pod) {
        return Optional.empty();
      }

      @Override
      public boolean awaitsCards(Pod pod) {
        return false;
      }

      @Override
      public boolean measuresCards(String resource) {
        return false;
      }
    };
  }
}
