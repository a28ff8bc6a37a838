package io.berth.engine.model;

/** How far the agent of a node is with handing out the cards of a pod. */
public enum CardHandout {
  /** The kubelet has still to ask the agent. */
  AHEAD,
  /** The kubelet has admitted the pod, and the agent has not said yet which cards it gave. */
  UNTOLD,
  /** The pod has its cards, or waits for none. */
  DONE
}
