package io.berth.engine.model;

/** The progress of a node's agent in handing out the cards of a pod. */
public enum CardHandout {
  /** The kubelet has still to ask the agent. */
  AHEAD,
  /** The kubelet has admitted the pod, and the agent has not said yet which cards it gave. */
  UNTOLD,
  /** The pod has its cards, or waits for none. */
  DONE
}
