package io.berth.engine.model;

/** What a taint does to pods that do not tolerate it. */
public enum TaintEffect {
  NO_SCHEDULE,
  PREFER_NO_SCHEDULE,
  NO_EXECUTE
}
