package io.berth.engine.framework;

import io.berth.engine.state.PodColumns;

/**
 * A calculation of a filter's verdict on one node while pods leave it and return, without changes
 * of the state. Possible for a filter that reads nothing of the pods but the amounts that they
 * hold.
 */
public interface AmountsTrial {
  /** Subtracts the amounts of the i-th of some pods on the node. */
  void leave(PodColumns pods, int i);

  /** Adds the amounts of the i-th of some pods, which has left. */
  void putBack(PodColumns pods, int i);

  /** Returns the verdict with the pods that are left, as {@link NodeFilter#verdictAt}. */
  int verdict();
}
