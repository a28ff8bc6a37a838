package io.berth.engine.lifecycle;

import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.PodModel;
import io.berth.engine.state.NodeCards;
import io.berth.engine.state.PodEntry;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The GPU cards that bound pods keep. If the API server has confirmed the Binding with the cards
 * that were chosen for a pod, these count, even if its annotations were edited before the pod was
 * seen bound; the two reports arrive in any order.
 */
final class ChosenCards {
  private final NodeCards cards;

  /** The choices for pods that were seen bound before their Bindings were confirmed, by pod UID. */
  private final Map<String, CardAssignment> unconfirmed = new HashMap<>();

  /** UIDs of the pods whose Bindings were confirmed before they were seen bound. */
  private final Set<String> confirmed = new HashSet<>();

  ChosenCards(NodeCards cards) {
    this.cards = cards;
  }

  /** Returns the model of a pod that is seen on a node, with the cards that it keeps. */
  PodModel seen(PodEntry known, PodModel model, boolean assumed) {
    String uid = model.ref().uid();
    if (model.spec().cards().isEmpty()) {
      return model;
    }
    boolean isOurs = confirmed.remove(uid);
    Optional<CardAssignment> chosen = assumed ? cards.chosenFor(known, model) : Optional.empty();
    if (isOurs && chosen.isPresent()) {
      return cards.withCards(model, chosen);
    }
    chosen.ifPresent(choice -> unconfirmed.put(uid, choice));
    return cards.keepingCards(known, model);
  }

  /**
   * Handles a successful Binding; returns the model with the chosen cards, if the pod was seen with
   * others before.
   */
  Optional<PodModel> confirmed(PodEntry pod) {
    if (pod.spec().cards().isEmpty()) {
      return Optional.empty();
    }
    if (pod.model().nodeName().isEmpty()) {
      confirmed.add(pod.key());
      return Optional.empty();
    }
    return Optional.ofNullable(unconfirmed.remove(pod.key()))
        .map(choice -> cards.withCards(pod.model(), Optional.of(choice)))
        .filter(model -> !model.equals(pod.model()));
  }

  /** Removes a pod that is gone, or whose Binding has failed. */
  void forget(String podUid) {
    unconfirmed.remove(podUid);
    confirmed.remove(podUid);
  }
}
