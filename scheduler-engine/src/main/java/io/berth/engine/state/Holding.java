package io.berth.engine.state;

import io.berth.engine.PreBindStep;
import java.util.List;
import java.util.Map;

/**
 * Something particular that one pod holds beside its sums: host ports, the volumes that are planned
 * for its claims. It belongs to the pod, not to the spec that pods share, and is taken and given
 * back by way of the journal.
 */
public interface Holding {
  /** Counts it as taken. */
  void take();

  /** Counts it as free again. */
  void giveBack();

  /** Annotations that the Binding carries for it. */
  default Map<String, String> annotations() {
    return Map.of();
  }

  /** Labels that the Binding carries for it. */
  default Map<String, String> labels() {
    return Map.of();
  }

  /** Returns the steps before the Binding. */
  default List<PreBindStep> preBind() {
    return List.of();
  }
}
