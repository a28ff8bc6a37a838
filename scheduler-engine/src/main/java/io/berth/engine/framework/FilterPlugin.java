package io.berth.engine.framework;

import io.berth.engine.state.ClusterState;
import java.util.Optional;

/** An algorithm that says which nodes a pod may not go to. */
public interface FilterPlugin extends Plugin {
  /** Its answers for pods of this shape; empty where it has nothing to say about them. */
  Optional<NodeFilter> filterFor(PodShape shape, ClusterState state);

  /**
   * Returns whether the change may cure a rejection of any pod by this plugin. In doubt yes; {@link
   * #mayCure} is asked next, for each kind of pods that wait.
   */
  default boolean mayCureAny(Change change) {
    return true;
  }

  /**
   * Returns how much a pod of this shape needs on one node of what this plugin compares first, such
   * as CPU. Waiting pods are found by it: {@link #mayCure} is asked only about those that need no
   * more than {@link #offeredBy} says.
   */
  default long needOf(PodShape shape) {
    return 0;
  }

  /**
   * Returns the greatest {@link #needOf need} of a pod whose rejection the change may cure. In
   * doubt more: a pod that needs more is not woken.
   *
   * @param priority the pods'
   */
  default long offeredBy(Change change, int priority, ClusterState state) {
    return Long.MAX_VALUE;
  }

  /**
   * Returns whether the plugin keeps a pod whose required terms name one node off all others, so
   * that pods that differ in that node alone can share answers.
   */
  default boolean pinsPods() {
    return false;
  }

  /**
   * Returns whether a change in the cluster may cure this plugin's rejection of a pod of this
   * shape. In doubt yes: a pod that is not woken waits for minutes.
   *
   * @param shape with the matchers that matched the pod when it was last tried, and without its
   *     default selector
   */
  boolean mayCure(Change change, PodShape shape, ClusterState state);
}
