package io.berth.engine.framework;

import io.berth.engine.state.ClusterState;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The verdicts of a {@link SimpleFilter}. */
final class SimpleFilterAnswer extends NodeFilter implements VerdictFigures {
  private record Question(SimpleFilter plugin, Object relevantPart) {}

  private final SimpleFilter plugin;
  private final PodShape pod;
  private final boolean readsPods;
  private final boolean keepsPod;
  private @Nullable NodeView view;
  private @Nullable Verdict lastVerdict;
  private int lastId;

  private SimpleFilterAnswer(Question question, PodShape pod, ClusterState state) {
    super(question, state, NodeInput.logsOf(question.plugin().reads(), state.nodes()));
    this.plugin = question.plugin();
    this.pod = pod;
    this.keepsPod = !question.relevantPart().equals(pod);
    this.readsPods = plugin.reads().contains(NodeInput.PODS);
  }

  static SimpleFilterAnswer acquire(SimpleFilter plugin, PodShape pod, ClusterState state) {
    Question question = new Question(plugin, plugin.relevantPart(pod));
    return state.answers().acquire(question, () -> new SimpleFilterAnswer(question, pod, state));
  }

  @Override
  public boolean readsPods() {
    return readsPods;
  }

  @Override
  protected int check(int slot) {
    Optional<Verdict> verdict = plugin.check(pod, viewOf(slot));
    return verdict.isEmpty() ? PASSES : numberOf(verdict.get());
  }

  @Override
  public String figures(int slot) {
    return plugin.figures(pod, viewOf(slot));
  }

  private NodeView viewOf(int slot) {
    if (view == null) {
      view = NodeView.of(plugin, state, nodes.model(slot), slot);
    }
    return view.at(slot);
  }

  /** Returns the id of a verdict. Most filters have only one: it is looked up once. */
  private int numberOf(Verdict verdict) {
    if (!verdict.equals(lastVerdict)) {
      lastVerdict = verdict;
      lastId = idOf(verdict);
    }
    return lastId;
  }

  /** Includes the pod, which the answer may keep longer than the plan that brought it. */
  @Override
  protected long ownBytes() {
    return 100 + (keepsPod ? pod.shared().bytes() : 0);
  }
}
