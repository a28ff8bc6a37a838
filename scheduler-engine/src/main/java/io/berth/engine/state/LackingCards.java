package io.berth.engine.state;

import io.berth.engine.cards.CardShortage;
import io.berth.engine.cards.HeldCards;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The GPU cards that a pod lacks on a node. */
final class LackingCards implements Shortage {
  private final CardShortage bound;
  private final Map<PodEntry, HeldCards> held = new HashMap<>();

  LackingCards(CardShortage bound) {
    this.bound = bound;
  }

  @Override
  public void begin(List<PodEntry> mayLeave) {
    for (PodEntry pod : mayLeave) {
      CardHolding.heldBy(pod).ifPresent(of -> held.put(pod, of.cards()));
    }
  }

  @Override
  public int fewest(List<PodEntry> mayLeave) {
    List<HeldCards> cards = new ArrayList<>();
    for (PodEntry pod : mayLeave) {
      HeldCards ofPod = held.get(pod);
      if (ofPod != null) {
        cards.add(ofPod);
      }
    }
    int fewest = bound.fewest(cards);
    return fewest == CardShortage.HOPELESS ? HOPELESS : fewest;
  }

  @Override
  public boolean isHeldBy(PodEntry pod) {
    return held.containsKey(pod);
  }

  @Override
  public boolean holdTheSame(PodEntry one, PodEntry other) {
    Optional<HeldCards> cards = Optional.ofNullable(held.get(one));
    return cards
        .map(of -> held.containsKey(other) && of.isLike(held.get(other)))
        .orElse(!held.containsKey(other));
  }
}
