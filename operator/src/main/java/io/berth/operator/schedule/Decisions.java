package io.berth.operator.schedule;

import io.berth.engine.Consult;
import io.berth.engine.Decision;
import io.berth.engine.GaugeReading;
import io.berth.engine.GroupState;
import io.berth.engine.QueueCounts;
import io.berth.engine.Refusal;
import java.util.List;

/**
 * Receives the decisions of the engine. Called on the engine's thread; implementations must not
 * block.
 */
public interface Decisions {

  /**
   * The engine decided about a pod.
   *
   * @param tookNanos how long it took
   */
  void decided(Decision decision, long tookNanos);

  /** Called when the engine requests advice about a pod; the answer is posted as an event. */
  void consulted(Consult consult);

  /** Returns whether more decisions can be taken soon; while not, the engine waits. */
  boolean hasRoom();

  /** The engine would not take an object in. */
  void refused(Refusal refusal);

  /** Receives the number of pending pods from time to time, and before the engine becomes idle. */
  void counted(QueueCounts counts);

  /** Receives the readings of all policies' gauges from time to time, once the engine decides. */
  void gauged(List<GaugeReading> readings);

  /** Receives reports on all groups of pods from time to time, once the engine decides. */
  void grouped(List<GroupState> reports);

  /**
   * The engine itself failed on an event or a pod, and is replaced by one built from the caches.
   */
  void replaced(String doing, Throwable failure);

  /** The engine failed, and no other could take its place: nothing is decided any more. */
  void failed(String doing, Throwable failure);
}
