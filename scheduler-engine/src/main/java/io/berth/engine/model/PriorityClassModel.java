package io.berth.engine.model;

import java.util.OptionalInt;

/**
 * The part of a PriorityClass that the engine reads.
 *
 * @param value the priority; each pod has its own copy
 * @param nonPreemptible whether its pods are never preempted once they are on a node
 * @param preemptibleAbove the lowest priority that may evict its pods even if they are
 *     nonPreemptible; empty if none may
 * @param isDefault whether it is the class of pods that name none
 * @param neverPreempts whether its pods never evict others; each pod has its own copy
 */
public record PriorityClassModel(
    String name,
    int value,
    boolean nonPreemptible,
    OptionalInt preemptibleAbove,
    boolean isDefault,
    boolean neverPreempts) {

  /** Creates a class that protects none of its pods from eviction. */
  public static PriorityClassModel of(String name, int value) {
    return new PriorityClassModel(name, value, false, OptionalInt.empty(), false, false);
  }

  /** Returns the same class with pods that are never preempted once they are on a node. */
  public PriorityClassModel asNonPreemptible(OptionalInt exceptAbove) {
    return new PriorityClassModel(name, value, true, exceptAbove, isDefault, neverPreempts);
  }

  /** Returns whether its pods may not be evicted for a pod of this priority. */
  public boolean protectsFrom(int priority) {
    return nonPreemptible && (preemptibleAbove.isEmpty() || priority < preemptibleAbove.getAsInt());
  }
}
