package io.berth.operator.bind;

import io.berth.engine.api.Decision.Placed;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** The preparation of a pod's volumes before its Binding is sent. */
@FunctionalInterface
public interface VolumePreparation {

  /**
   * Prepares the volumes and calls exactly one of the two callbacks, at once if there is nothing to
   * prepare. It calls neither once the preparation is no longer wanted or the leader's term has
   * ended.
   *
   * @param wanted returns whether to continue; evaluated before each write
   * @param ready called when the Binding may be sent
   * @param failed called with the reason when the Binding must not be sent
   */
  void prepare(Placed placed, BooleanSupplier wanted, Runnable ready, Consumer<String> failed);

  /**
   * Runs a task as soon as nothing of a placement that was given up can be written any more, and
   * the engine has seen all that was written.
   */
  default void settle(Placed placed, Runnable then) {
    then.run();
  }

  /** Forgets a placement whose pod is bound. */
  default void bound(Placed placed) {}

  /** Returns a preparation that does nothing. */
  static VolumePreparation none() {
    return (placed, wanted, ready, failed) -> ready.run();
  }
}
