package io.berth.engine.framework;

import io.berth.engine.state.ClusterState;
import java.util.Optional;

/** An algorithm that rejects nodes for a pod. */
public interface FilterPlugin extends Plugin {
  /** Returns the verdicts for pods of this shape; empty if the plugin rejects no node for them. */
  Optional<NodeFilter> filterFor(PodShape shape, ClusterState state);

  /**
   * Returns which rejections by this plugin a change in the cluster may cure. Returns more if in
   * doubt: a pod that is not retried waits for minutes.
   */
  Cure cureBy(Change change);

  /**
   * Returns the amount that a pod of this shape needs of the resource that this plugin compares
   * first, such as CPU. It indexes the pending pods: the {@linkplain #cureBy cure} is asked only
   * about pods that need at most {@link #offeredBy}.
   */
  default long needOf(PodShape shape) {
    return 0;
  }

  /**
   * Returns the greatest {@link #needOf need} of a pod whose rejection the change may cure. Returns
   * more if in doubt: a pod that needs more is not retried.
   *
   * @param priority the priority of the pods
   */
  default long offeredBy(Change change, int priority, ClusterState state) {
    return Long.MAX_VALUE;
  }

  /**
   * Returns whether the plugin restricts a pod whose required terms name one node to that node.
   * Pods that differ only in that node can then share answers.
   */
  default boolean pinsPods() {
    return false;
  }
}
