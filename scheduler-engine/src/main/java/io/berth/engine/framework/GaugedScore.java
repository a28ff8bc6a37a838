package io.berth.engine.framework;

import io.berth.engine.state.ClusterState;
import io.berth.engine.state.Gauge;

/**
 * A score that reads a {@link Gauge}. The gauge lives as long as a policy with an equal plugin
 * serves, whichever its revision, and is found by the plugin in {@link ClusterState#gauges}.
 */
public interface GaugedScore extends ScorePlugin {
  /** A gauge that knows nothing yet. */
  Gauge newGauge(ClusterState state);
}
