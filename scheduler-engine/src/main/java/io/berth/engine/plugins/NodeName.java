package io.berth.engine.plugins;

import io.berth.engine.framework.NodeInput;
import io.berth.engine.framework.NodeView;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.SimpleFilter;
import io.berth.engine.framework.Verdict;
import java.util.Optional;
import java.util.Set;

/** Rejects all nodes except the one that the pod names. */
public record NodeName() implements SimpleFilter {
  private static final Optional<Verdict> ANOTHER =
      Optional.of(Verdict.unresolvable("node(s) didn't match the requested node name"));

  @Override
  public String name() {
    return "NodeName";
  }

  @Override
  public Set<NodeInput> reads() {
    return Set.of();
  }

  @Override
  public boolean concerns(PodShape pod) {
    return !pod.spec().requestedNode().isEmpty();
  }

  @Override
  public Object relevantPart(PodShape pod) {
    return pod.spec().requestedNode();
  }

  @Override
  public Optional<Verdict> check(PodShape pod, NodeView node) {
    return node.name().equals(pod.spec().requestedNode()) ? Optional.empty() : ANOTHER;
  }
}
