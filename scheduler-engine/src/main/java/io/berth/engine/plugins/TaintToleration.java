package io.berth.engine.plugins;

import io.berth.engine.framework.Change;
import io.berth.engine.framework.Cure;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.NodeInput;
import io.berth.engine.framework.NodeView;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.Scale;
import io.berth.engine.framework.SimpleScore;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.Taint;
import io.berth.engine.model.TaintEffect;
import io.berth.engine.model.Toleration;
import io.berth.engine.state.ClusterState;
import io.berth.engine.topology.ToleratedNodes;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Rejects nodes with NoSchedule and NoExecute taints that the pod does not tolerate, and prefers
 * nodes with few PreferNoSchedule taints that it does not tolerate. The filter checks each distinct
 * set of taints once, see {@link ToleratedNodes}; the score is a {@link SimpleScore}.
 */
public record TaintToleration() implements FilterPlugin, SimpleScore {
  record FilterQuestion(List<Toleration> tolerations) {}

  @Override
  public String name() {
    return "TaintToleration";
  }

  @Override
  public Set<NodeInput> reads() {
    return Set.of(NodeInput.TAINTS);
  }

  @Override
  public Optional<NodeFilter> filterFor(PodShape shape, ClusterState state) {
    FilterQuestion question = new FilterQuestion(shape.spec().tolerations());
    return Optional.of(state.answers().acquire(question, () -> new FilterAnswer(question, state)));
  }

  @Override
  public Scale.Kind scale() {
    return Scale.Kind.INVERSE;
  }

  /** Returns the tolerations that apply to PreferNoSchedule taints, for the score. */
  @Override
  public Object relevantPart(PodShape pod) {
    return preferences(pod);
  }

  private static List<Toleration> preferences(PodShape pod) {
    return pod.spec().tolerations().stream()
        .filter(
            toleration ->
                toleration.effect().isEmpty()
                    || toleration.effect().get() == TaintEffect.PREFER_NO_SCHEDULE)
        .toList();
  }

  /** Returns the number of PreferNoSchedule taints that the pod does not tolerate. */
  @Override
  public int score(PodShape pod, NodeView node) {
    int untolerated = 0;
    for (Taint taint : node.taints()) {
      if (taint.effect() == TaintEffect.PREFER_NO_SCHEDULE
          && !ToleratedNodes.covers(pod.spec().tolerations(), taint)) {
        untolerated++;
      }
    }
    return untolerated;
  }

  @Override
  public Cure cureBy(Change change) {
    return switch (change) {
      case Change.NodeChanged node ->
          Cure.of(
              (shape, state) ->
                  ToleratedNodes.tolerates(shape.spec().tolerations(), node.after().taints())
                      && (node.before() == null
                          || !ToleratedNodes.tolerates(
                              shape.spec().tolerations(), node.before().taints())));
      case Change.SelfChanged self -> Cure.all();
      default -> Cure.none();
    };
  }

  private static final class FilterAnswer extends NodeFilter {
    private final ToleratedNodes tolerated;
    private final int untolerated;

    FilterAnswer(FilterQuestion question, ClusterState state) {
      super(question, state, state.nodes().taintLog());
      this.tolerated = ToleratedNodes.acquire(question.tolerations(), state);
      this.untolerated = idOf(Verdict.unresolvable("node(s) had untolerated taint(s)"));
    }

    @Override
    public boolean readsPods() {
      return false;
    }

    @Override
    public void refreshInputs() {
      tolerated.refresh();
    }

    @Override
    protected int check(int slot) {
      return tolerated.nodes().contains(slot) ? PASSES : untolerated;
    }

    @Override
    public void close() {
      tolerated.release(state);
    }
  }
}
