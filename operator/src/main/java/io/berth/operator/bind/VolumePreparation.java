package io.berth.operator.bind;

import io.berth.engine.Decision.Placed;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** The preparation of a pod's volumes before its Binding is sent. */
@FunctionalInterface
public interface VolumePreparation {

  /**
   * Calls exactly one of the two, at once for the many pods that need nothing; neither once the
   * preparation is no longer wanted.
   *
   * @param wanted whether to go on; asked before each write
   * @param ready the Binding may be sent
   * @param failed it may not; the argument says why
   */
  void prepare(Placed placed, BooleanSupplier wanted, Runnable ready, Consumer<String> failed);

  /** Nothing to prepare. */
  static VolumePreparation none() {
    return (placed, wanted, ready, failed) -> ready.run();
  }
}
