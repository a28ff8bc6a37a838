package io.berth.engine.framework;

/** A scheduling algorithm with its arguments, immutable. Equal algorithms are equal values. */
public interface Plugin {
  /** As users name it in a SchedulingPolicy. */
  String name();
}
