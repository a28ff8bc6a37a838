package io.berth.engine.framework;

import io.berth.engine.state.ClusterState;
import java.util.Optional;

/** An algorithm that ranks nodes for a pod. */
public interface ScorePlugin extends Plugin {
  /** Returns the raw scores for pods of this shape; empty if the plugin does not score for them. */
  Optional<NodeScorer> scorerFor(PodShape shape, ClusterState state);
}
