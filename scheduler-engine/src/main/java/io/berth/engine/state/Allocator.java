package io.berth.engine.state;

import io.berth.engine.model.PreBindStep;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Selects one kind of {@link Holding} for a pod. */
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
   * @param annotations the annotations of the Binding
   */
  default Optional<Holding> handedOver(
      PodEntry pod, List<PreBindStep> preBind, Map<String, String> annotations) {
    return Optional.empty();
  }

  /** Handles a bound pod: the objects themselves will soon reflect what was planned for it. */
  default void confirmed(PodEntry pod) {}

  /** Handles an attempt at the pod that was aborted: nothing is planned for it. */
  default void abandoned(PodEntry pod) {}
}
