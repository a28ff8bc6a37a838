package io.berth.operator.bind;

import io.berth.engine.Decision.Placed;
import java.util.function.Consumer;

/** What must be true of a pod's volumes before its Binding is sent. */
@FunctionalInterface
public interface VolumePreparation {

  /**
   * Calls exactly one of the two, at once for the many pods that need nothing.
   *
   * @param ready the Binding may be sent
   * @param failed it may not; the argument says why
   */
  void prepare(Placed placed, Runnable ready, Consumer<String> failed);

  /** Nothing to prepare. */
  static VolumePreparation none() {
    return (placed, ready, failed) -> ready.run();
  }
}
