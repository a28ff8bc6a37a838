package io.berth.engine.state;

import io.berth.engine.cards.CardMap;
import io.berth.engine.cards.CardTable;
import io.berth.engine.cards.HeldCards;
import io.berth.engine.model.Assignment;
import io.berth.engine.model.Card;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.CardHandout;
import io.berth.engine.model.CardInventory;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.PodCards;
import java.util.List;
import java.util.Optional;

/** GPU cards that a pod holds, or that a decision chose for it. */
sealed interface CardHolding extends Holding {
  /** Returns the cards that a pod holds on its node; empty if it holds none, or unknown ones. */
  static Optional<Held> heldBy(PodEntry pod) {
    for (Holding holding : pod.onNode) {
      if (holding instanceof Held held) {
        return Optional.of(held);
      }
    }
    return Optional.empty();
  }

  /** Returns the cards that the decision about a pod chose; empty if it chose none. */
  static Optional<CardAssignment> plannedFor(PodEntry pod) {
    for (Holding holding : pod.planned) {
      if (holding instanceof Plan plan) {
        return Optional.of(plan.assignment);
      }
    }
    return Optional.empty();
  }

  /** The cards that a pod holds, and their assignment. */
  record Held(
      CardTable table, int slot, HeldCards cards, CardAssignment assignment, Waiting waiting)
      implements CardHolding {
    @Override
    public void take() {
      table.take(slot, cards);
      table.takeSums(slot, waiting.demand);
      waiting.take();
    }

    @Override
    public void giveBack() {
      table.giveBack(slot, cards);
      table.giveSumsBack(slot, waiting.demand);
      waiting.giveBack();
    }

    void addTo(List<List<CardMap.Holder>> holders, PodEntry pod, CardInventory inventory) {
      for (CardRequest request : pod.spec().cards().requests()) {
        List<String> names = assignment.cards().getOrDefault(request.container(), List.of());
        for (int card = 0; card < holders.size(); card++) {
          if (names.contains(inventory.id(card))) {
            Card of = inventory.cards().get(card);
            boolean whole = request.isWhole();
            holders
                .get(card)
                .add(
                    new CardMap.Holder(
                        pod.ref(),
                        request.container(),
                        whole ? of.milliCores() : request.milliCores(),
                        whole ? of.memoryMebibytes() : request.memoryOf(of.memoryMebibytes())));
          }
        }
      }
    }
  }

  /**
   * A pod's request to the node's agent, from the decision until the agent has assigned the pod's
   * cards.
   */
  record Waiting(CardTable table, int slot, PodCards demand, CardHandout handout) {
    void take() {
      table.await(slot, demand, handout);
    }

    void giveBack() {
      table.awaitNoMore(slot, demand, handout);
    }
  }

  /** Cards that a pod holds, if it is unknown which. */
  record Unknown(CardTable table, int slot, Waiting waiting) implements CardHolding {
    @Override
    public void take() {
      table.close(slot);
      table.takeSums(slot, waiting.demand);
      waiting.take();
    }

    @Override
    public void giveBack() {
      table.reopen(slot);
      table.giveSumsBack(slot, waiting.demand);
      waiting.giveBack();
    }
  }

  /** The cards that a decision chose; {@link Held} takes them. */
  record Plan(CardAssignment assignment) implements CardHolding {
    @Override
    public void take() {}

    @Override
    public void giveBack() {}

    @Override
    public List<Assignment> assignments() {
      return List.of(assignment);
    }
  }
}
