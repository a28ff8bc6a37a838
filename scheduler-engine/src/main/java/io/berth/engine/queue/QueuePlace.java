package io.berth.engine.queue;

/** The place of a unit in the queue. */
public enum QueuePlace {
  /** To be tried next, by priority and then by arrival. */
  ACTIVE,
  /** To be tried when its pause is over. */
  BACKOFF,
  /** Rejected: waits for an event that may help, or for the timeout. */
  UNSCHEDULABLE,
  /** Not to be tried before its gate opens. */
  GATED,
  /** Taken out for an attempt that has not ended. */
  IN_FLIGHT,
  /** Not in the queue. */
  ABSENT
}
