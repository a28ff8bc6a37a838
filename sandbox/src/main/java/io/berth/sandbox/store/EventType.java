package io.berth.sandbox.store;

/** The type of a change, as in watch events. */
public enum EventType {
  ADDED,
  MODIFIED,
  DELETED
}
