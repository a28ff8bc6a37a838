package io.berth.operator.trace;

import io.berth.engine.Decision;
import io.berth.engine.Decision.Placed;
import java.time.Instant;

/** Observes the actions of the leader on pods, for their traces. Implementations must not block. */
public interface PodTraces {

  /** No traces. */
  PodTraces OFF =
      new PodTraces() {
        @Override
        public void decided(Decision decision, Instant at, long tookNanos) {}

        @Override
        public void bound(Placed placed) {}

        @Override
        public void failed(Placed placed, String reason) {}
      };

  /**
   * The engine decided about a pod. Called before the decision is in the log.
   *
   * @param tookNanos how long it took
   */
  void decided(Decision decision, Instant at, long tookNanos);

  /** The pod is bound. */
  void bound(Placed placed);

  /** The pod is not bound, for this reason. */
  void failed(Placed placed, String reason);
}
