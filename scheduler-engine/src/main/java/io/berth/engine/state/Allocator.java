package io.berth.engine.state;

import java.util.Optional;

/** Chooses one kind of {@link Holding}. */
public interface Allocator {
  /** When a pod gets such a holding, and how long it keeps it. */
  enum Scope {
    /**
     * With every move to a node, in dry runs too, until the pod leaves the node: things of the node
     * itself.
     */
    NODE,
    /** When the pod is assumed, until its claims show it: things that a decision plans. */
    DECISION
  }

  /** When it is asked. */
  Scope scope();

  /**
   * What the pod would hold on the node as things are now; empty where it needs nothing of the
   * kind. Changes nothing: the same state gives the same answer, in a dry run and in earnest.
   */
  Optional<Holding> choose(PodEntry pod, int slot);
}
