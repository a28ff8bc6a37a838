package io.berth.engine.model;

/** The progress of a node's agent in assigning the cards of a pod. */
public enum CardHandout {
  /** The kubelet has not asked the agent yet. */
  AHEAD,
  /** The kubelet has admitted the pod, and the agent has not reported the assigned cards yet. */
  UNTOLD,
  /** The pod has its cards, or is not waiting for any. */
  DONE
}
