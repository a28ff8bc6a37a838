package io.berth.engine.api;

/**
 * The cause for which a pod waits. It decides what the pod's condition tells cluster autoscalers:
 * only {@link #NO_ROOM} asks for more nodes.
 */
public enum WaitCause {
  /** No node fits: a node that does not exist yet might. */
  NO_ROOM,
  /**
   * Evictions may make room for it within a minute, which limits of its policy delay until then;
   * this has been so for less than a minute in all.
   */
  EVICTIONS_HELD,
  /** Pods of its group are missing, or its group is not described. */
  GROUP_INCOMPLETE,
  /** Its policy does not exist, or cannot be used. */
  POLICY_MISSING,
  /** Its policy does not place pods of its namespace. */
  POLICY_NOT_ALLOWED,
  /** Its queue has reached a limit, does not admit it, or requests no node for it. */
  HELD_BY_QUEUE,
  /** An advisor of its policy, such as an extender, does not answer, or cannot be asked. */
  NO_ADVICE
}
