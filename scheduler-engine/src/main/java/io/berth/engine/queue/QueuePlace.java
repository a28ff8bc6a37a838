package io.berth.engine.queue;

/** The part of the queue that a unit is in. */
public enum QueuePlace {
  /** Ready to be tried, in order of priority and then of arrival. */
  ACTIVE,
  /** Waiting for the end of its backoff. */
  BACKOFF,
  /** Rejected: waiting for an event that may help, or for the timeout. */
  UNSCHEDULABLE,
  /** Waiting for its gates to be removed. */
  GATED,
  /** Popped for an attempt that has not ended. */
  IN_FLIGHT,
  /** Not in the queue. */
  ABSENT
}
