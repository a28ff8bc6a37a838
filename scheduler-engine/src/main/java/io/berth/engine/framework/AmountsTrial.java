package io.berth.engine.framework;

import io.berth.engine.state.PodEntry;

/**
 * A calculation of a filter's verdict on one node while pods leave it and return, without changes
 * of the state. Possible for a filter that reads nothing of the pods but the amounts that they
 * hold.
 */
public interface AmountsTrial {
  /** Subtracts the amounts of a pod on the node. */
  void leave(PodEntry pod);

  /** Adds the amounts of a pod that has left. */
  void putBack(PodEntry pod);

  /** Returns the verdict with the pods that are left, as {@link NodeFilter#verdictAt}. */
  int verdict();
}
