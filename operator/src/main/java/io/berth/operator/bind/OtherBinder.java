package io.berth.operator.bind;

import io.berth.engine.Decision.Placed;
import java.util.function.Consumer;

/** Binds pods through the external binders that placements name. */
@FunctionalInterface
public interface OtherBinder {

  /** The result. */
  sealed interface Result {}

  /** The external binder reported that the pod is bound. */
  record Bound() implements Result {}

  /** The external binder could not bind the pod and is optional: Berth binds the pod itself. */
  record PassedOver() implements Result {}

  /**
   * They could not, or gave no answer: the pod may be bound or not.
   *
   * @param why in words for the pod's owner
   */
  record Failed(String why) implements Result {}

  /**
   * Has a pod bound; returns at once.
   *
   * @param then called once
   */
  void bind(Placed placed, Consumer<Result> then);

  /** Nobody binds but Berth. */
  static OtherBinder none() {
    return (placed, then) -> then.accept(new PassedOver());
  }
}
