package io.berth.engine.model;

/** The effect of a taint on pods that do not tolerate it. */
public enum TaintEffect {
  NO_SCHEDULE,
  PREFER_NO_SCHEDULE,
  NO_EXECUTE
}
