package io.berth.engine.model;

import java.util.OptionalInt;

/**
 * The part of a PriorityClass that the engine reads.
 *
 * @param value the priority; each pod has its own copy
 * @param nonPreemptible whether its pods are never preempted once they are on a node
 * @param preemptibleAbove the lowest priority that may evict its pods even if they are
 *     nonPreemptible; empty if none may
 */
public record PriorityClassModel(
    String name, int value, boolean nonPreemptible, OptionalInt preemptibleAbove) {

  /** Returns whether its pods may not be evicted for a pod of this priority. */
  public boolean protectsFrom(int priority) {
    return nonPreemptible && (preemptibleAbove.isEmpty() || priority < preemptibleAbove.getAsInt());
  }
}
