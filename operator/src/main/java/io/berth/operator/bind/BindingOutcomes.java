package io.berth.operator.bind;

import io.berth.engine.Decision;
import java.time.Duration;

/**
 * Hears what became of each placement that was handed to the {@link Binder}: exactly one call each.
 */
public interface BindingOutcomes {

  /**
   * The pod is bound.
   *
   * @param took from the decision to the API server's answer
   */
  void bound(Decision.Placed placed, Duration took);

  /**
   * The pod is not bound, and nothing is under way any more.
   *
   * @param retry whether it can succeed later as it is; false for a pod that is gone or bound
   *     elsewhere
   */
  void failed(Decision.Placed placed, String reason, boolean retry);
}
