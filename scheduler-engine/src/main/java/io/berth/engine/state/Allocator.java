package io.berth.engine.state;

import io.berth.engine.model.Assignment;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PreBindStep;
import java.util.List;
import java.util.Optional;

/**
 * Accounts for one kind of {@link Holding} of all pods, whatever their policies are, and selects it
 * for a pod. Each is registered once, in {@link ClusterState}, which notifies all of them of pods
 * and nodes.
 */
public interface Allocator {
  /** The lifetime of a holding. */
  enum Scope {
    /**
     * From placement on a node, in dry runs too, until the pod leaves the node: resources of the
     * node itself.
     */
    NODE,
    /** From the assumption of the pod until its claims reflect it: what a decision plans. */
    DECISION
  }

  /** Returns the scope of the holdings. */
  Scope scope();

  /**
   * Returns the pod's holding on the node in the current state; empty if the pod needs none of this
   * kind. Changes nothing, and is deterministic: the same state leads to the same result, in dry
   * runs and real attempts.
   */
  Optional<Holding> choose(PodEntry pod, int slot);

  /**
   * Returns the pod's planned holding from the decision of another engine; empty if the decision
   * planned none of this kind.
   *
   * @param preBind the planned steps
   * @param assignments the assignments of the decision
   */
  default Optional<Holding> handedOver(
      PodEntry pod, List<PreBindStep> preBind, List<Assignment> assignments) {
    return Optional.empty();
  }

  /**
   * Counts what the decision of another engine planned for a pod that is gone while its Binding is
   * in flight, if others could see it in use later.
   */
  default void handedOverWithoutPod(String podUid, List<PreBindStep> preBind) {}

  /**
   * Releases what is still planned for a pod that is gone, because its Binding has ended.
   *
   * @param confirmed whether the pod was bound, so that the objects will reflect what was planned
   */
  default void endedWithoutPod(String podUid, boolean confirmed) {}

  /** Handles a bound pod: the objects themselves will soon reflect what was planned for it. */
  default void confirmed(PodEntry pod) {}

  /** Handles an attempt at the pod that was aborted: nothing is planned for it. */
  default void abandoned(PodEntry pod) {}

  /** Handles a new pod, which is not placed yet. */
  default void podArrived(PodModel pod) {}

  /**
   * Handles a pod that is gone. If a pod's spec or one of its claims changes, it leaves and arrives
   * again.
   */
  default void podLeft(PodModel pod) {}

  /**
   * Returns whether a change of a placed pod, whose spec is the same, may change its holding on its
   * node. If so, the pod's holdings there are chosen again.
   */
  default boolean mayChangeHolding(PodModel before, PodModel after) {
    return false;
  }

  /**
   * Returns whether the pod's holding on the node depends on the plan of its decision. If so, the
   * pod's holdings there are chosen again after a decision.
   */
  default boolean dependsOnPlan(PodEntry pod, int slot) {
    return false;
  }

  /**
   * Handles a pod that left this node in a dry run of its eviction, after its holding was released.
   */
  default void evictedInDryRun(PodEntry pod, int slot) {}

  /**
   * Returns what the pod lacks on the node while other pods hold it; empty if no search for the
   * fewest pods to evict is needed for this kind of holding.
   */
  default Optional<Shortage> shortage(PodEntry pod, int slot) {
    return Optional.empty();
  }

  /** Records the resources of a node that is new, or whose pods hold nothing at this time. */
  default void putNode(int slot, NodeModel node) {}

  /**
   * Returns whether a change of the node replaces resources that its pods may hold. If so, its pods
   * release their holdings, the new resources are recorded by {@link #putNode}, and holdings of the
   * pods are chosen again.
   */
  default boolean replacesResources(NodeModel before, NodeModel after) {
    return false;
  }

  /** Removes the resources of a node that is gone; its pods hold nothing at this time. */
  default void removeNode(int slot) {}
}
