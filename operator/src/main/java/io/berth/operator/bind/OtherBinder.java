package io.berth.operator.bind;

import io.berth.engine.api.Decision.Placed;
import java.util.function.Consumer;

/** Binds pods through the external binders that placements name. */
@FunctionalInterface
public interface OtherBinder {

  /** The result of a call. */
  sealed interface Result {}

  /** The external binder reported that the pod is bound. */
  record Bound() implements Result {}

  /** The external binder could not bind the pod and is optional: Berth binds the pod itself. */
  record PassedOver() implements Result {}

  /**
   * The external binder failed or did not respond: the pod may be bound or not.
   *
   * @param why the reason, worded for the pod's owner
   */
  record Failed(String why) implements Result {}

  /**
   * Asks the external binder to bind a pod; does not block.
   *
   * @param then called once with the result
   */
  void bind(Placed placed, Consumer<Result> then);

  /** Returns a binder that leaves all pods to Berth. */
  static OtherBinder none() {
    return (placed, then) -> then.accept(new PassedOver());
  }
}
