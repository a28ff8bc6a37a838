package io.berth.engine.state;

import io.berth.engine.model.Assignment;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.PreBindStep;
import java.util.List;
import java.util.Optional;

/** Keeps the chosen cards with a pod from its decision to its Binding. */
final class PlannedCards implements Allocator {
  @Override
  public Scope scope() {
    return Scope.DECISION;
  }

  @Override
  public Optional<Holding> choose(PodEntry pod, int slot) {
    return CardHolding.heldBy(pod).map(held -> new CardHolding.Plan(held.assignment()));
  }

  /**
   * Returns the names of the cards without their agent: once the pod is seen on its node, the cards
   * of its annotations count there.
   */
  @Override
  public Optional<Holding> handedOver(
      PodEntry pod, List<PreBindStep> preBind, List<Assignment> assignments) {
    return Assignment.ofType(assignments, CardAssignment.class)
        .map(given -> new CardHolding.Plan(new CardAssignment(given.cards())));
  }
}
