package io.berth.engine.state;

/** The subject of one attempt: a pod, or the pods of a group that are placed together. */
public sealed interface Unit permits PodEntry, GroupEntry {
  /** Returns the key by which the queue knows the unit. */
  String key();

  /** Returns the priority by which the queue orders the unit. */
  int priority();
}
