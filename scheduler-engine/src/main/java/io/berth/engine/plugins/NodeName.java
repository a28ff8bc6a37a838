package io.berth.engine.plugins;

import io.berth.engine.framework.Change;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.Verdict;
import io.berth.engine.state.ClusterState;
import java.util.Optional;

/** Keeps a pod that asks for one node by name off all others. */
public record NodeName() implements FilterPlugin {
  record Question(String nodeName) {}

  @Override
  public String name() {
    return "NodeName";
  }

  @Override
  public Optional<NodeFilter> filterFor(PodShape shape, ClusterState state) {
    String wanted = shape.spec().requestedNode();
    if (wanted.isEmpty()) {
      return Optional.empty();
    }
    Question question = new Question(wanted);
    return Optional.of(state.answers().acquire(question, () -> new Answer(question, state)));
  }

  @Override
  public boolean mayCureAny(Change change) {
    return change instanceof Change.NodeChanged;
  }

  @Override
  public boolean mayCure(Change change, PodShape shape, ClusterState state) {
    return change instanceof Change.NodeChanged node
        && node.before() == null
        && node.after().name().equals(shape.spec().requestedNode());
  }

  private static final class Answer extends NodeFilter {
    private final String wanted;
    private final int another;

    Answer(Question question, ClusterState state) {
      super(question, state, state.nodes().labelLog());
      this.wanted = question.nodeName();
      this.another = idOf(Verdict.unresolvable("node(s) didn't match the requested node name"));
    }

    @Override
    public boolean readsPods() {
      return false;
    }

    @Override
    protected int check(int slot) {
      return nodes.name(slot).equals(wanted) ? PASSES : another;
    }
  }
}
