package io.berth.engine.plugins;

import io.berth.engine.framework.Change;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.HostPort;
import io.berth.engine.state.ClusterState;
import java.util.List;
import java.util.Optional;

/** Keeps pods off nodes where a port of the host that they need is taken. */
public record NodePorts() implements FilterPlugin {
  record Question(List<HostPort> ports) {}

  @Override
  public String name() {
    return "NodePorts";
  }

  @Override
  public Optional<NodeFilter> filterFor(PodShape shape, ClusterState state) {
    if (shape.spec().ports().isEmpty()) {
      return Optional.empty();
    }
    Question question = new Question(shape.spec().ports());
    return Optional.of(state.answers().acquire(question, () -> new Answer(question, state)));
  }

  @Override
  public boolean mayCureAny(Change change) {
    return change instanceof Change.NodeChanged || change instanceof Change.PodGone;
  }

  @Override
  public boolean mayCure(Change change, PodShape shape, ClusterState state) {
    return switch (change) {
      case Change.NodeChanged node -> node.before() == null;
      case Change.PodGone pod -> conflict(shape.spec().ports(), pod.pod().spec().ports());
      default -> false;
    };
  }

  private static boolean conflict(List<HostPort> wanted, List<HostPort> taken) {
    for (HostPort port : taken) {
      for (HostPort want : wanted) {
        if (want.conflictsWith(port)) {
          return true;
        }
      }
    }
    return false;
  }

  private static final class Answer extends NodeFilter {
    private final List<HostPort> wanted;
    private final int taken;

    Answer(Question question, ClusterState state) {
      super(question, state, state.nodes().capacityLog());
      this.wanted = question.ports();
      this.taken =
          idOf(Verdict.unschedulable("node(s) didn't have free ports for the requested pod ports"));
    }

    @Override
    protected int check(int slot) {
      return state.hostPorts().conflict(slot, wanted) ? taken : PASSES;
    }
  }
}
