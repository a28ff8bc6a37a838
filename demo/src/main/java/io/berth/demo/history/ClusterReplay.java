package io.berth.demo.history;

import io.berth.demo.history.ClusterChange.NodeChange;
import io.berth.demo.history.ClusterChange.PodChange;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** The cluster at one moment of a history, moved on by one change after the other. */
final class ClusterReplay {
  private final Map<String, NodeState> nodes = new LinkedHashMap<>();
  private final Map<String, PodState> pods = new LinkedHashMap<>();
  private final Map<String, Map<String, PodState>> podsByNode = new HashMap<>();
  private final Map<String, PodState> pending = new LinkedHashMap<>();

  /** Moves on by one change. */
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

  /** Returns what those pods of a node request that are chosen; finished pods request nothing. */
  Amounts requested(String node, Predicate<PodState> chosen) {
    Amounts sum = Amounts.NONE;
    for (PodState pod : podsByNode.getOrDefault(node, Map.of()).values()) {
      if (!pod.finished() && chosen.test(pod)) {
        sum = sum.plus(pod.requests());
      }
    }
    return sum;
  }

  /** Returns whether a pod fits on a node beside those of its pods that are chosen. */
  boolean fits(PodState pod, NodeState node, Predicate<PodState> beside) {
    return node.admits(pod)
        && requested(node.name(), beside).plus(pod.requests()).fitInto(node.allocatable());
  }

  /** Returns a node on which a pod fits beside all that are there. */
  Optional<NodeState> nodeFor(PodState pod) {
    return nodes.values().stream().filter(node -> fits(pod, node, other -> true)).findFirst();
  }

  /** Returns whether a node would take a pod if nothing were on it. */
  boolean fitsEmptyNode(PodState pod) {
    return nodes.values().stream().anyMatch(node -> fits(pod, node, other -> false));
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
