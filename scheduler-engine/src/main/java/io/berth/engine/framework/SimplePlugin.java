package io.berth.engine.framework;

import java.util.Set;

/**
 * A plugin that needs only a pod and one node at a time; see {@link SimpleFilter} and {@link
 * SimpleScore}. The framework caches the result for each node, and calls the plugin again when a
 * part of the node that the plugin declares in {@link #reads} has changed.
 */
public interface SimplePlugin extends Plugin {
  /** Returns the parts of a node that the plugin reads in addition to the name. */
  Set<NodeInput> reads();

  /** Returns whether the plugin applies to such pods. It is not called for others. */
  default boolean concerns(PodShape pod) {
    return true;
  }

  /**
   * Returns what the plugin reads of a pod, as a value with {@code equals}. Pods with equal values
   * share cached results. The default, the whole pod, is always correct; a smaller part is faster
   * if many different pods look the same to the plugin.
   */
  default Object relevantPart(PodShape pod) {
    return pod;
  }
}
