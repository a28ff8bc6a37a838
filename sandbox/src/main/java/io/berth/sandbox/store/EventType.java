package io.berth.sandbox.store;

/** The kind of change of an object, as watches name it. */
public enum EventType {
  ADDED,
  MODIFIED,
  DELETED
}
