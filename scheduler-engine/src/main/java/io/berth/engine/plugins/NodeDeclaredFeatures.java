package io.berth.engine.plugins;

import io.berth.engine.framework.NodeInput;
import io.berth.engine.framework.NodeView;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.SimpleFilter;
import io.berth.engine.framework.Verdict;
import java.util.Optional;
import java.util.Set;

/** Rejects nodes whose kubelet does not declare a feature that the pod's spec requires. */
public record NodeDeclaredFeatures() implements SimpleFilter {
  private static final Optional<Verdict> UNDECLARED =
      Optional.of(Verdict.unresolvable("node(s) didn't match Pod's required features"));

  @Override
  public String name() {
    return "NodeDeclaredFeatures";
  }

  @Override
  public Set<NodeInput> reads() {
    return Set.of(NodeInput.FEATURES);
  }

  @Override
  public boolean concerns(PodShape pod) {
    return !pod.spec().requiredFeatures().isEmpty();
  }

  @Override
  public Object relevantPart(PodShape pod) {
    return pod.spec().requiredFeatures();
  }

  @Override
  public Optional<Verdict> check(PodShape pod, NodeView node) {
    return node.declaredFeatures().containsAll(pod.spec().requiredFeatures())
        ? Optional.empty()
        : UNDECLARED;
  }
}
