package io.berth.engine.framework;

import io.berth.engine.state.ClusterState;
import java.util.Optional;

/** An algorithm that says how good each node is for a pod. */
public interface ScorePlugin extends Plugin {
  /** Its answers for pods of this shape; empty where it has nothing to say about them. */
  Optional<NodeScorer> scorerFor(PodShape shape, ClusterState state);
}
