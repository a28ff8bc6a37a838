package io.berth.engine.model;

import java.util.OptionalInt;

/**
 * A PriorityClass as far as the engine reads it.
 *
 * @param value the priority; that of a pod is in the pod itself
 * @param nonPreemptible whether its pods, once they are on a node, are nobody's victims
 * @param preemptibleAbove the least priority that may evict its pods though it is nonPreemptible;
 *     empty where none may
 */
public record PriorityClassModel(
    String name, int value, boolean nonPreemptible, OptionalInt preemptibleAbove) {

  /** Returns whether its pods may not be evicted for a pod of the priority. */
  public boolean protectsFrom(int priority) {
    return nonPreemptible && (preemptibleAbove.isEmpty() || priority < preemptibleAbove.getAsInt());
  }
}
