package io.berth.engine.plugins;

import io.berth.engine.framework.NodeInput;
import io.berth.engine.framework.NodeView;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.SimpleFilter;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.Taint;
import io.berth.engine.model.TaintEffect;
import io.berth.engine.topology.ToleratedNodes;
import java.util.Optional;
import java.util.Set;

/** Rejects cordoned nodes, unless the pod tolerates the corresponding taint. */
public record NodeUnschedulable() implements SimpleFilter {
  private static final Taint CORDON =
      new Taint("node.kubernetes.io/unschedulable", "", TaintEffect.NO_SCHEDULE);
  private static final Optional<Verdict> CORDONED =
      Optional.of(Verdict.unresolvable("node(s) were unschedulable"));

  @Override
  public String name() {
    return "NodeUnschedulable";
  }

  @Override
  public Set<NodeInput> reads() {
    return Set.of(NodeInput.TAINTS);
  }

  @Override
  public boolean concerns(PodShape pod) {
    return !ToleratedNodes.covers(pod.spec().tolerations(), CORDON);
  }

  /** Returns the same value for all pods that do not tolerate the taint. */
  @Override
  public Object relevantPart(PodShape pod) {
    return CORDON;
  }

  @Override
  public Optional<Verdict> check(PodShape pod, NodeView node) {
    return node.isUnschedulable() ? CORDONED : Optional.empty();
  }
}
