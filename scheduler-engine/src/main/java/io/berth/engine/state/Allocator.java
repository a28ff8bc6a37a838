package io.berth.engine.state;

import java.util.Optional;

/** Chooses one kind of {@link Holding}. */
public interface Allocator {
  /** The lifetime of a holding. */
  enum Scope {
    /**
     * With every move to a node, in dry runs too, until the pod leaves the node: things of the node
     * itself.
     */
    NODE,
    /** From the assumption of the pod until its claims show it: things that a decision plans. */
    DECISION
  }

  /** Returns the scope in which it is called. */
  Scope scope();

  /**
   * Returns the holding of the pod on the node in the current state; empty if it needs none of this
   * kind. Changes nothing: the same state gives the same answer, in dry runs and real attempts.
   */
  Optional<Holding> choose(PodEntry pod, int slot);
}
