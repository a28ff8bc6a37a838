package io.berth.operator.bind;

import io.berth.engine.Decision;
import java.time.Duration;

/**
 * Receives the result of each placement that was passed to the {@link Binder}, in exactly one call
 * each.
 */
public interface BindingOutcomes {

  /**
   * The pod is bound.
   *
   * @param took from the decision to the API server's answer
   */
  void bound(Decision.Placed placed, Duration took);

  /**
   * The pod is not bound, and no request is in progress.
   *
   * @param retry whether a later attempt can succeed; false for a pod that was deleted or is bound
   *     elsewhere
   */
  void failed(Decision.Placed placed, String reason, boolean retry);
}
