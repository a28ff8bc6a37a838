package io.berth.engine.framework;

import io.berth.engine.state.ClusterState;
import java.util.Optional;

/** A score of a node that depends only on the pod and that node. */
public interface SimpleScore extends SimplePlugin, ScorePlugin {
  /**
   * Returns the raw score of the node: 0 to 100, unless {@link #scale} is overridden. A higher
   * score is better. The result must depend only on the plugin, the {@linkplain #relevantPart pod},
   * and the node.
   */
  int score(PodShape pod, NodeView node);

  /** Returns the formula that normalizes raw scores to 0 to 100; none if they already are. */
  default Scale.Kind scale() {
    return Scale.Kind.NONE;
  }

  @Override
  default Optional<NodeScorer> scorerFor(PodShape shape, ClusterState state) {
    return concerns(shape)
        ? Optional.of(SimpleScoreAnswer.acquire(this, shape, state))
        : Optional.empty();
  }
}
