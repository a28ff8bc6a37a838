package io.berth.engine.framework;

import io.berth.engine.state.ClusterState;
import io.berth.engine.state.Gauge;

/**
 * A score that reads a {@link Gauge}. The gauge exists as long as a policy with an equal plugin is
 * served, in any revision; {@link ClusterState#gauges} finds it by the plugin.
 */
public interface GaugedScore extends ScorePlugin {
  /** Creates a gauge in its initial state. */
  Gauge newGauge(ClusterState state);
}
