package io.berth.engine.framework;

import java.util.Set;

/**
 * A plugin that looks at a pod and one node at a time, see {@link SimpleFilter} and {@link
 * SimpleScore}. The framework remembers what it says of each node, and asks it again when a part of
 * the node changed that the plugin declared to read.
 */
public interface SimplePlugin extends Plugin {
  /** The parts of a node that the plugin reads beside its name. */
  Set<NodeInput> reads();

  /**
   * Returns whether the plugin has anything to say about such pods: it is not asked about others.
   */
  default boolean concerns(PodShape pod) {
    return true;
  }

  /**
   * All that the plugin reads of a pod, a value with {@code equals}. Pods for which it is equal
   * share what is remembered. The default, the whole pod, is always right; less is faster where
   * many different pods look the same to the plugin.
   */
  default Object relevantPart(PodShape pod) {
    return pod;
  }
}
