package io.berth.engine.plugins;

import io.berth.engine.framework.Change;
import io.berth.engine.framework.Cure;
import io.berth.engine.framework.NodeInput;
import io.berth.engine.framework.NodeView;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.SimpleFilter;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.HostPort;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Rejects nodes on which a requested host port is in use. */
public record NodePorts() implements SimpleFilter {
  private static final Optional<Verdict> TAKEN =
      Optional.of(
          Verdict.unschedulable("node(s) didn't have free ports for the requested pod ports"));

  @Override
  public String name() {
    return "NodePorts";
  }

  @Override
  public Set<NodeInput> reads() {
    return Set.of(NodeInput.PODS);
  }

  @Override
  public boolean concerns(PodShape pod) {
    return !pod.spec().ports().isEmpty();
  }

  @Override
  public Object relevantPart(PodShape pod) {
    return pod.spec().ports();
  }

  @Override
  public Optional<Verdict> check(PodShape pod, NodeView node) {
    return node.holdsAnyOf(pod.spec().ports()) ? TAKEN : Optional.empty();
  }

  @Override
  public String figures(PodShape pod, NodeView node) {
    return pod.spec().ports().stream()
        .filter(port -> node.holdsAnyOf(List.of(port)))
        .map(port -> "port %d/%s is in use".formatted(port.port(), port.protocol()))
        .collect(Collectors.joining("; "));
  }

  /**
   * {@inheritDoc}
   *
   * <p>A pod that is gone cures the rejections of those that want one of its ports.
   */
  @Override
  public Cure cureBy(Change change) {
    return switch (change) {
      case Change.NodeChanged node -> Cure.when(node.before() == null);
      case Change.PodGone pod ->
          Cure.of((shape, state) -> conflict(shape.spec().ports(), pod.pod().spec().ports()));
      default -> Cure.none();
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
}
