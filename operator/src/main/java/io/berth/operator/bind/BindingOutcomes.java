package io.berth.operator.bind;

import io.berth.engine.api.Decision;
import java.time.Duration;

/**
 * Receives exactly one result, {@link #bound} or {@link #failed}, for each placement passed to the
 * {@link Binder}, unless the binder is closed or the leader's term ends first. The methods must not
 * block: most results arrive on the thread that reads the API server's responses.
 */
public interface BindingOutcomes {

  /**
   * Called when the preparation of a Binding has ended, before the Binding is sent. It is not
   * called for a placement without steps before its Binding.
   */
  void prepared(Decision.Placed placed);

  /**
   * Called when the pod is bound.
   *
   * @param took the time from the decision to the API server's response
   */
  void bound(Decision.Placed placed, Duration took);

  /**
   * Called when the pod is not bound and no request is in progress.
   *
   * @param retry whether a later attempt can succeed; false for a pod that was deleted or is bound
   *     elsewhere
   */
  void failed(Decision.Placed placed, String reason, boolean retry);

  /**
   * Called when {@link Binder#hasRoom} may have become true although no placement has had a result.
   */
  void hasRoomAgain();
}
