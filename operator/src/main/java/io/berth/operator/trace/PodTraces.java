package io.berth.operator.trace;

import io.berth.engine.api.Decision;
import io.berth.engine.api.Decision.Placed;
import java.time.Instant;

/** Observes the leader's actions on pods, for tracing. Implementations must not block. */
public interface PodTraces {

  /** Ignores all actions. */
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
   * Called when the engine has decided about a pod, before the decision is logged.
   *
   * @param tookNanos the time that the decision took
   */
  void decided(Decision decision, Instant at, long tookNanos);

  /** Called when the pod is bound. */
  void bound(Placed placed);

  /** Called when the pod could not be bound. */
  void failed(Placed placed, String reason);
}
