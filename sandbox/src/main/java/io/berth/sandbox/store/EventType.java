package io.berth.sandbox.store;

/** What happened to an object, named as a watch names it. */
public enum EventType {
  ADDED,
  MODIFIED,
  DELETED
}
