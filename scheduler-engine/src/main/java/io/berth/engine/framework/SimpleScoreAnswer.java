package io.berth.engine.framework;

import io.berth.engine.state.ClusterState;
import org.jspecify.annotations.Nullable;

/** The raw scores of a {@link SimpleScore}. */
final class SimpleScoreAnswer extends NodeScorer {
  private static final int GREATEST = 100;

  private record Question(SimpleScore plugin, Object relevantPart) {}

  private final SimpleScore plugin;
  private final PodShape pod;
  private final boolean isScaled;
  private final boolean keepsPod;
  private @Nullable NodeView view;

  private SimpleScoreAnswer(Question question, PodShape pod, ClusterState state) {
    super(
        question,
        state,
        question.plugin().scale(),
        NodeInput.logsOf(question.plugin().reads(), state.nodes()));
    this.plugin = question.plugin();
    this.pod = pod;
    this.keepsPod = !question.relevantPart().equals(pod);
    this.isScaled = plugin.scale() != Scale.Kind.NONE;
  }

  static SimpleScoreAnswer acquire(SimpleScore plugin, PodShape pod, ClusterState state) {
    Question question = new Question(plugin, plugin.relevantPart(pod));
    return state.answers().acquire(question, () -> new SimpleScoreAnswer(question, pod, state));
  }

  @Override
  protected int score(int slot) {
    if (view == null) {
      view = NodeView.of(plugin, state, nodes.model(slot), slot);
    }
    int score = plugin.score(pod, view.at(slot));
    if (!isScaled && (score < 0 || score > GREATEST)) {
      throw new IllegalStateException(
          plugin.name()
              + " scores node "
              + nodes.name(slot)
              + " "
              + score
              + ": scores must be 0 to 100, unless scale() normalizes them");
    }
    return score;
  }

  /** Includes the pod, which the answer may keep longer than the plan that brought it. */
  @Override
  protected long ownBytes() {
    return 100 + (keepsPod ? pod.shared().bytes() : 0);
  }
}
