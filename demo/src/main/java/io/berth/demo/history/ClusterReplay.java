package io.berth.demo.history;

import io.berth.demo.history.ClusterChange.ClaimChange;
import io.berth.demo.history.ClusterChange.NodeChange;
import io.berth.demo.history.ClusterChange.PodChange;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** The state of the cluster at a point in a history, advanced change by change. */
final class ClusterReplay {
  private final Map<String, NodeState> nodes = new LinkedHashMap<>();
  private final Map<String, PodState> pods = new LinkedHashMap<>();
  private final Map<String, Map<String, PodState>> podsByNode = new HashMap<>();
  private final Map<String, PodState> pending = new LinkedHashMap<>();

  /** Applies the next change. */
  void apply(ClusterChange change) {
    switch (change) {
      case NodeChange node -> {
        if (node.deleted()) {
          nodes.remove(node.node().name());
        } else {
          nodes.put(node.node().name(), node.node());
        }
      }
      case PodChange pod -> {
        forget(pod.pod().uid());
        if (!pod.deleted()) {
          remember(pod.pod());
        }
      }
      case ClaimChange claim -> {} // devices are no matter of a node's room
    }
  }

  Optional<PodState> pod(String uid) {
    return Optional.ofNullable(pods.get(uid));
  }

  Optional<NodeState> node(String name) {
    return Optional.ofNullable(nodes.get(name));
  }

  Collection<PodState> pendingPods() {
    return Collections.unmodifiableCollection(pending.values());
  }

  /**
   * Returns the total requests of the pods on a node that match a predicate. Finished pods do not
   * count.
   */
  Amounts requested(String node, Predicate<PodState> chosen) {
    Amounts sum = Amounts.NONE;
    for (PodState pod : podsByNode.getOrDefault(node, Map.of()).values()) {
      if (!pod.finished() && chosen.test(pod)) {
        sum = sum.plus(pod.requests());
      }
    }
    return sum;
  }

  /** Returns the total requests of the bound pods of a queue that have not finished. */
  Amounts usedBy(TenantQueue queue) {
    Amounts sum = Amounts.NONE;
    for (PodState pod : pods.values()) {
      if (pod.node().isPresent() && !pod.finished() && queue.isOf(pod)) {
        sum = sum.plus(pod.requests());
      }
    }
    return sum;
  }

  /** Returns whether a pod fits on some node in addition to the pods there that match. */
  boolean fitsSomewhere(PodState pod, Predicate<PodState> beside) {
    return nodes.values().stream().anyMatch(node -> fits(pod, node, beside));
  }

  /**
   * Returns whether a pod fits on a node in addition to the pods there that match a predicate. Only
   * the resources that the pod requests count: a node may have too little of another one, because
   * its capacity has shrunk.
   */
  boolean fits(PodState pod, NodeState node, Predicate<PodState> beside) {
    return node.admits(pod)
        && requested(node.name(), beside)
            .plus(pod.requests())
            .of(pod.requests())
            .fitInto(node.allocatable());
  }

  /** Returns a node on which a pod fits in addition to all pods there; empty if there is none. */
  Optional<NodeState> nodeFor(PodState pod) {
    return nodes.values().stream().filter(node -> fits(pod, node, other -> true)).findFirst();
  }

  /** Returns whether a pod would fit on some node if that node were empty. */
  boolean fitsEmptyNode(PodState pod) {
    return fitsSomewhere(pod, other -> false);
  }

  private void remember(PodState pod) {
    pods.put(pod.uid(), pod);
    pod.node()
        .ifPresent(
            node ->
                podsByNode
                    .computeIfAbsent(node, name -> new LinkedHashMap<>())
                    .put(pod.uid(), pod));
    if (pod.isPending()) {
      pending.put(pod.uid(), pod);
    }
  }

  private void forget(String uid) {
    PodState previous = pods.remove(uid);
    pending.remove(uid);
    if (previous != null && previous.node().isPresent()) {
      podsByNode.getOrDefault(previous.node().get(), new HashMap<>()).remove(uid);
    }
  }
}
