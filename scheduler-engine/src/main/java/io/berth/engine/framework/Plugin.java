package io.berth.engine.framework;

/**
 * A scheduling algorithm with its arguments. Implementations are immutable values: equal algorithms
 * with equal arguments are equal.
 */
public interface Plugin {
  /** Returns the name of the algorithm in a SchedulingPolicy. */
  String name();
}
