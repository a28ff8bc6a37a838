package io.berth.engine.framework;

import io.berth.engine.state.ClusterState;

/** The rejections by a filter that a change may cure: none, all, or those of some pods. */
public sealed interface Cure {
  /** A cure that is the same for all pods. */
  enum OfEvery implements Cure {
    /** The change cures no rejection. */
    NONE,
    /** The change may cure every rejection. */
    ALL
  }

  /**
   * The change may cure the rejections of some pods.
   *
   * @param test decides for pods of one shape
   */
  record OfSome(Test test) implements Cure {}

  /** A decision for pods of one shape. */
  @FunctionalInterface
  interface Test {
    /**
     * Returns whether the rejection of a pod of this shape may be cured. Returns true if in doubt:
     * a pod that is not retried waits for minutes.
     *
     * @param shape the pod's shape, with the matchers that matched when it was last tried, and
     *     without its default selector
     */
    boolean mayBeCured(PodShape shape, ClusterState state);
  }

  /** Returns the cure of no rejection. */
  static Cure none() {
    return OfEvery.NONE;
  }

  /** Returns the cure of all rejections. */
  static Cure all() {
    return OfEvery.ALL;
  }

  /** Returns the cure of all rejections if the condition holds, and of none otherwise. */
  static Cure when(boolean condition) {
    return condition ? OfEvery.ALL : OfEvery.NONE;
  }

  /** Returns the cure of the rejections of those pods for which the test holds. */
  static Cure of(Test test) {
    return new OfSome(test);
  }

  /** Returns whether the change may cure any rejection. */
  default boolean mayCureAny() {
    return this != OfEvery.NONE;
  }

  /** Returns whether the rejection of a pod of this shape may be cured. */
  default boolean mayCure(PodShape shape, ClusterState state) {
    return switch (this) {
      case OfEvery every -> every == OfEvery.ALL;
      case OfSome(Test test) -> test.mayBeCured(shape, state);
    };
  }
}
