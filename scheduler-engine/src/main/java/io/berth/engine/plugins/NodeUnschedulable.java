package io.berth.engine.plugins;

import io.berth.engine.framework.Change;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.Taint;
import io.berth.engine.model.TaintEffect;
import io.berth.engine.state.ClusterState;
import io.berth.engine.topology.ToleratedNodes;
import java.util.Optional;

/** Keeps pods off cordoned nodes, unless they tolerate the taint that cordoning stands for. */
public record NodeUnschedulable() implements FilterPlugin {
  private static final Taint CORDON =
      new Taint("node.kubernetes.io/unschedulable", "", TaintEffect.NO_SCHEDULE);

  record Question() {}

  @Override
  public String name() {
    return "NodeUnschedulable";
  }

  @Override
  public Optional<NodeFilter> filterFor(PodShape shape, ClusterState state) {
    if (ToleratedNodes.covers(shape.spec().tolerations(), CORDON)) {
      return Optional.empty();
    }
    return Optional.of(state.answers().acquire(new Question(), () -> new Answer(state)));
  }

  @Override
  public boolean mayCureAny(Change change) {
    return change instanceof Change.NodeChanged || change instanceof Change.SelfChanged;
  }

  @Override
  public boolean mayCure(Change change, PodShape shape, ClusterState state) {
    return switch (change) {
      case Change.NodeChanged node ->
          !node.after().unschedulable() && (node.before() == null || node.before().unschedulable());
      case Change.SelfChanged self -> true;
      default -> false;
    };
  }

  private static final class Answer extends NodeFilter {
    private final int cordoned;

    Answer(ClusterState state) {
      super(new Question(), state, state.nodes().taintLog());
      this.cordoned = idOf(Verdict.unresolvable("node(s) were unschedulable"));
    }

    @Override
    public boolean readsPods() {
      return false;
    }

    @Override
    protected int check(int slot) {
      return nodes.isUnschedulable(slot) ? cordoned : PASSES;
    }
  }
}
