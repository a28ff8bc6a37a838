package io.berth.engine.state;

import io.berth.engine.model.Assignment;
import io.berth.engine.model.PreBindStep;
import java.util.List;

/**
 * A resource that one pod holds in addition to its summed requests, such as host ports or planned
 * volumes. It belongs to the pod, not to the spec that pods share, and is taken and released
 * through the journal.
 */
public interface Holding {
  /** Counts it as in use. */
  void take();

  /** Counts it as free again. */
  void giveBack();

  /**
   * Handles a pod that is gone while its Binding is in flight: counts it as free again, unless
   * others could see it in use later.
   */
  default void podIsGone() {
    giveBack();
  }

  /** Returns the assignments that the decision passes on. */
  default List<Assignment> assignments() {
    return List.of();
  }

  /** Returns the steps before the Binding. */
  default List<PreBindStep> preBind() {
    return List.of();
  }
}
