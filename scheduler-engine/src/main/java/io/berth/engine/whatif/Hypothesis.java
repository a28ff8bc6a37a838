package io.berth.engine.whatif;

import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodRef;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The differences between the cluster as it is, and as a question supposes it to be.
 *
 * @param addedNodes nodes that do not exist; their names must be new
 * @param removedNodes the names of nodes that are gone. Their pods are placed again, as those of
 *     drained nodes are
 * @param drainedNodes the names of nodes that are cordoned and drained: all their pods leave,
 *     except those of DaemonSets and mirror pods. Pods that the engine schedules are placed again
 * @param removedPods pods that are gone
 * @param policy a policy that is served as well, or instead of the one with its name
 */
public record Hypothesis(
    List<NodeModel> addedNodes,
    Set<String> removedNodes,
    Set<String> drainedNodes,
    List<PodRef> removedPods,
    Optional<CompiledPolicy> policy) {
  static final String HOST_NAME = "kubernetes.io/hostname";

  /** Copies the collections. */
  public Hypothesis {
    addedNodes = List.copyOf(addedNodes);
    removedNodes = Set.copyOf(removedNodes);
    drainedNodes = Set.copyOf(drainedNodes);
    removedPods = List.copyOf(removedPods);
  }

  /** Returns the cluster as it is. */
  public static Hypothesis none() {
    return new Hypothesis(List.of(), Set.of(), Set.of(), List.of(), Optional.empty());
  }

  /** Returns a new, empty node that is like another one, except for its name. */
  public static NodeModel nodeLike(NodeModel like, String name) {
    Map<String, String> labels = new HashMap<>(like.labels());
    labels.computeIfPresent(HOST_NAME, (key, before) -> name);
    return new NodeModel(
        name,
        name,
        labels,
        like.taints(),
        false,
        like.allocatable(),
        List.of(),
        like.declaredFeatures(),
        like.cards());
  }
}
