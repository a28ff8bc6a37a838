package io.berth.operator.schedule;

import io.berth.engine.api.AdviceRequest;
import io.berth.engine.api.Decision;
import io.berth.engine.api.GaugeReading;
import io.berth.engine.api.GroupState;
import io.berth.engine.api.QueueCounts;
import io.berth.engine.api.QueueState;
import io.berth.engine.api.Refusal;
import io.berth.engine.api.ShadowDecision;
import io.berth.engine.api.ShadowState;
import java.util.List;

/**
 * Receives the decisions of the engine. Called on the engine's thread; implementations must not
 * block.
 */
public interface Decisions {

  /**
   * Called when the engine has decided about a pod. If this fails, a {@code BindingFailed} event
   * has to follow for a placement of which no Binding is sent; otherwise it stays in flight.
   *
   * @param tookNanos the time that the decision took
   */
  void decided(Decision decision, long tookNanos);

  /** Called when the engine requests advice about a pod; the answer is posted as an event. */
  void consulted(AdviceRequest adviceRequest);

  /** Returns whether more decisions can be processed soon; if not, the engine waits. */
  boolean hasRoom();

  /** Called when the engine has rejected an object. */
  void refused(Refusal refusal);

  /** Called with the number of pending pods periodically, and before the engine becomes idle. */
  void counted(QueueCounts counts);

  /**
   * Called periodically with the readings of all policies' gauges, once the engine has begun to
   * decide.
   */
  void gauged(List<GaugeReading> readings);

  /**
   * Called periodically with reports on all groups of pods, once the engine has begun to decide.
   */
  void grouped(List<GroupState> reports);

  /**
   * Called periodically with the states of the queues of tenants, once the engine has begun to
   * decide; without any if there are none.
   */
  void queues(List<QueueState> states);

  /**
   * Called after a decision on a pod with what the shadow of the pod's policy would have decided,
   * if it was tried.
   */
  void shadowed(ShadowDecision decision);

  /**
   * Called periodically with the states of the shadows of policies, once the engine has begun to
   * decide; without any if there are none.
   */
  void shadows(List<ShadowState> states);

  /**
   * Called when the engine, or the processing of one of its decisions, has failed, and the engine
   * is replaced by one rebuilt from the caches.
   */
  void replaced(String doing, Throwable failure);

  /**
   * Called when a report to this object, or to another listener, has failed: it was not processed.
   */
  void unheard(String doing, Throwable failure);

  /** Called when the engine failed and could not be replaced: no further decisions are made. */
  void failed(String doing, Throwable failure);
}
