package io.berth.operator.query;

import io.berth.engine.model.Card;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** The capacity of the cards of one node that pods hold. Not thread-safe. */
final class CardUse {
  /** The pods' requests of each card, by its name. */
  private final Map<String, Held> held = new HashMap<>();

  private static final class Held {
    int milliCores;
    long memoryMebibytes;
    int memoryPercent;
  }

  /** Adds the cards of a pod. */
  void add(PodModel pod) {
    if (pod.cards().isEmpty()) {
      return;
    }
    Map<String, CardRequest> requests = new HashMap<>();
    pod.spec().cards().requests().forEach(each -> requests.put(each.container(), each));
    pod.cards()
        .get()
        .cards()
        .forEach(
            (container, names) -> {
              CardRequest request =
                  Objects.requireNonNullElse(
                      requests.get(container), CardRequest.whole(container, names.size()));
              names.forEach(name -> add(held.computeIfAbsent(name, any -> new Held()), request));
            });
  }

  private static void add(Held card, CardRequest request) {
    card.milliCores += request.milliCores();
    card.memoryMebibytes += request.memoryMebibytes();
    card.memoryPercent += request.memoryPercent();
  }

  /** Returns whether a pod holds a card, in whole or in part. */
  boolean isHeld(NodeModel node, int position) {
    return held.containsKey(node.cards().id(position));
  }

  /**
   * Returns the share of a card that is free, in thousandths: of its compute capacity or of its
   * memory, whichever is less.
   */
  int freeMilli(NodeModel node, int position) {
    Held use = held.get(node.cards().id(position));
    if (use == null) {
      return Card.MILLI_CORES;
    }
    Card card = node.cards().cards().get(position);
    long memory = use.memoryPercent * 10L;
    if (card.memoryMebibytes() > 0) {
      memory += use.memoryMebibytes * Card.MILLI_CORES / card.memoryMebibytes();
    }
    long used = Math.max(use.milliCores, memory);
    return Math.clamp(Card.MILLI_CORES - used, 0, Card.MILLI_CORES);
  }
}
