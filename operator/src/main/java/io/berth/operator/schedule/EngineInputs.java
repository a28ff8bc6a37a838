package io.berth.operator.schedule;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision.Placed;
import io.berth.engine.api.GaugeReading;
import java.util.List;
import java.util.function.Consumer;

/**
 * The inputs that bring a new engine to the state of the current one: all that engines are fed,
 * which {@link EngineFeed} repeats, and what only this engine knows: the modes of its gauges, and
 * its placements whose Bindings are in flight.
 *
 * <p>Confined to the engine's thread.
 */
final class EngineInputs {
  private final Consumer<Consumer<ClusterEvent>> feed;
  private final BindingsInFlight inFlight = new BindingsInFlight();
  private final GaugeModes gauges = new GaugeModes();

  /**
   * @param feed repeats all that engines are fed, for a new engine
   */
  EngineInputs(Consumer<Consumer<ClusterEvent>> feed) {
    this.feed = feed;
  }

  /** Records an event that the engine received. */
  void received(ClusterEvent event) {
    if (event instanceof ClusterEvent.PolicyRemoved removed) {
      gauges.forget(removed.name());
    }
    inFlight.note(event);
  }

  /** Records a placement, which is known only here until the watch shows that the pod is bound. */
  void placed(Placed placed) {
    inFlight.placed(placed);
  }

  /** Records the state of the failed engine's gauges. */
  void gauges(List<GaugeReading> readings) {
    gauges.put(readings);
  }

  /** Sends the placement of a pod whose Binding is in flight to an engine, if there is one. */
  void replayPlacement(ClusterEvent.Subject pod, Consumer<ClusterEvent> engine) {
    inFlight.replay(pod, engine);
  }

  /** Sends all inputs to an engine. */
  void replay(Consumer<ClusterEvent> engine) {
    feed.accept(engine);
    gauges.replay(engine);
    inFlight.replay(engine);
  }
}
