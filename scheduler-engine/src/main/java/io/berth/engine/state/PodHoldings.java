package io.berth.engine.state;

import io.berth.engine.journal.Journal;
import io.berth.engine.model.PreBindStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The current and planned holdings of pods; each change can be undone. */
final class PodHoldings {
  private final Journal journal;
  private final List<Allocator> allocators;

  PodHoldings(Journal journal, List<Allocator> allocators) {
    this.journal = journal;
    this.allocators = List.copyOf(allocators);
  }

  /** Selects the holdings of a pod in a slot. */
  List<Holding> choose(PodEntry pod, int slot, Allocator.Scope scope) {
    List<Holding> chosen = List.of();
    for (Allocator allocator : allocators) {
      if (allocator.scope() == scope) {
        Optional<Holding> holding = allocator.choose(pod, slot);
        if (holding.isPresent()) {
          chosen = chosen.isEmpty() ? new ArrayList<>(2) : chosen;
          chosen.add(holding.get());
        }
      }
    }
    return chosen;
  }

  /** Returns the planned holdings of a pod from the decision of another engine. */
  List<Holding> handedOver(
      PodEntry pod, List<PreBindStep> preBind, Map<String, String> annotations) {
    List<Holding> planned = new ArrayList<>(2);
    for (Allocator allocator : allocators) {
      allocator.handedOver(pod, preBind, annotations).ifPresent(planned::add);
    }
    return planned;
  }

  /** Drops the planned holdings of a bound pod, which the objects reflect from now on. */
  void confirmed(PodEntry pod) {
    plan(pod, List.of());
    allocators.forEach(allocator -> allocator.confirmed(pod));
  }

  /** Handles an attempt at the pod that was aborted. */
  void abandoned(PodEntry pod) {
    allocators.forEach(allocator -> allocator.abandoned(pod));
  }

  /** Replaces the planned holdings of a pod, without taking or releasing any. */
  void plan(PodEntry pod, List<Holding> planned) {
    List<Holding> before = pod.planned;
    if (!before.isEmpty() || !planned.isEmpty()) {
      pod.planned = planned;
      journal.record(() -> pod.planned = before);
    }
  }

  /** Releases the pod's holdings on its node, and takes these instead; both can be undone. */
  void exchange(PodEntry pod, List<Holding> now) {
    List<Holding> before = pod.onNode;
    if (journal.isUndoing() || (before.isEmpty() && now.isEmpty())) {
      return;
    }
    before.forEach(Holding::giveBack);
    pod.onNode = now;
    journal.record(() -> pod.onNode = before);
    now.forEach(Holding::take);
  }
}
