package io.berth.engine.framework;

import io.berth.engine.state.ClusterState;
import java.util.Optional;

/** A score of a node that depends on nothing but the pod and that node. */
public interface SimpleScore extends SimplePlugin, ScorePlugin {
  /**
   * The raw score of the node, the higher the better: 0 to 100, unless {@link #scale} says
   * otherwise. The answer depends on nothing but the plugin, the {@linkplain #relevantPart pod} and
   * the node.
   */
  int score(PodShape pod, NodeView node);

  /** The formula that makes raw scores 0 to 100; none where they already are. */
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
