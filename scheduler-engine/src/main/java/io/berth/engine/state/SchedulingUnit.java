package io.berth.engine.state;

/**
 * The subject of one scheduling attempt: a pod, or the pods of a group that are placed together.
 */
public sealed interface SchedulingUnit permits PodEntry, GroupEntry {
  /** Returns the unit's key in the queue. */
  String key();

  /** Returns the priority of the unit in the queue. */
  int priority();
}
