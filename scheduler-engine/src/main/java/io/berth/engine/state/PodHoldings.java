package io.berth.engine.state;

import io.berth.engine.journal.Journal;
import io.berth.engine.model.Assignment;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PreBindStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The current and planned holdings of pods, of all kinds; each change of a pod's holdings can be
 * undone.
 */
final class PodHoldings {
  private final Journal journal;
  private final NodeTable nodes;
  private final List<Allocator> allocators;

  /**
   * @param allocators the allocators of all kinds of holdings, in the order in which they are asked
   */
  PodHoldings(Journal journal, NodeTable nodes, List<Allocator> allocators) {
    this.journal = journal;
    this.nodes = nodes;
    this.allocators = List.copyOf(allocators);
  }

  // ---------------------------------------------------------------------------------- pods

  /** Handles a new pod, which is not placed yet. */
  void arrived(PodModel pod) {
    allocators.forEach(allocator -> allocator.podArrived(pod));
  }

  /** Handles a pod that is gone. */
  void left(PodModel pod) {
    allocators.forEach(allocator -> allocator.podLeft(pod));
  }

  /** Handles a pod whose spec changes. */
  void replaced(PodModel before, PodModel after) {
    left(before);
    arrived(after);
  }

  /** Chooses the holdings of a pod on its node. */
  void chooseOnNode(PodEntry pod) {
    exchange(pod, choose(pod, pod.slot, Allocator.Scope.NODE));
  }

  /** Releases the holdings of a pod on its node. */
  void releaseOnNode(PodEntry pod) {
    exchange(pod, List.of());
  }

  /** Handles a change of a placed pod whose spec is the same. */
  void changed(PodEntry pod, PodModel before) {
    if (allocators.stream().anyMatch(each -> each.mayChangeHolding(before, pod.model()))) {
      chooseAgain(pod);
    }
  }

  /** Plans and takes the holdings of a pod by the decision that placed it. */
  void decided(PodEntry pod) {
    plan(pod, choose(pod, pod.slot, Allocator.Scope.DECISION));
    pod.planned.forEach(Holding::take);
    if (allocators.stream().anyMatch(each -> each.dependsOnPlan(pod, pod.slot))) {
      chooseAgain(pod);
    }
  }

  /** Handles a pod that left this node in a dry run of its eviction. */
  void evictedInDryRun(PodEntry pod, int slot) {
    allocators.forEach(allocator -> allocator.evictedInDryRun(pod, slot));
  }

  /** Returns what the pod lacks on the node while other pods hold it. */
  List<Shortage> shortages(PodEntry pod, int slot) {
    return allocators.stream().flatMap(each -> each.shortage(pod, slot).stream()).toList();
  }

  private void chooseAgain(PodEntry pod) {
    releaseOnNode(pod);
    chooseOnNode(pod);
    nodes.capacityLog().add(pod.slot);
  }

  private List<Holding> choose(PodEntry pod, int slot, Allocator.Scope scope) {
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
  List<Holding> handedOver(PodEntry pod, List<PreBindStep> preBind, List<Assignment> assignments) {
    List<Holding> planned = new ArrayList<>(2);
    for (Allocator allocator : allocators) {
      allocator.handedOver(pod, preBind, assignments).ifPresent(planned::add);
    }
    return planned;
  }

  /** Counts what another engine planned for a pod that is gone while its Binding is in flight. */
  void handedOverWithoutPod(String podUid, List<PreBindStep> preBind) {
    allocators.forEach(allocator -> allocator.handedOverWithoutPod(podUid, preBind));
  }

  /** Handles the end of a Binding whose pod is gone. */
  void endedWithoutPod(String podUid, boolean confirmed) {
    allocators.forEach(allocator -> allocator.endedWithoutPod(podUid, confirmed));
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
  private void exchange(PodEntry pod, List<Holding> now) {
    List<Holding> before = pod.onNode;
    if (journal.isUndoing() || (before.isEmpty() && now.isEmpty())) {
      return;
    }
    before.forEach(Holding::giveBack);
    pod.onNode = now;
    journal.record(() -> pod.onNode = before);
    now.forEach(Holding::take);
  }

  // ---------------------------------------------------------------------------------- nodes

  /** Records the resources of a new node. */
  void nodeAdded(int slot, NodeModel node) {
    allocators.forEach(allocator -> allocator.putNode(slot, node));
  }

  /**
   * Handles a change of a node. If it replaces resources, each of the node's pods keeps its
   * holdings, of the new resources.
   */
  void nodeChanged(int slot, NodeModel before, NodeModel after) {
    if (allocators.stream().noneMatch(each -> each.replacesResources(before, after))) {
      return;
    }
    for (int i = 0; i < nodes.podCount(slot); i++) {
      releaseOnNode(nodes.pod(slot, i));
    }
    nodeAdded(slot, after);
    for (int i = 0; i < nodes.podCount(slot); i++) {
      chooseOnNode(nodes.pod(slot, i));
    }
    nodes.capacityLog().add(slot);
  }

  /** Removes the resources of a node that is gone. */
  void nodeRemoved(int slot) {
    allocators.forEach(allocator -> allocator.removeNode(slot));
  }
}
