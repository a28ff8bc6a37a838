package io.berth.engine.whatif;

import io.berth.engine.model.PodModel;
import io.berth.engine.model.ResourceAmounts;
import java.util.HashMap;
import java.util.Map;

/** The requests of the pods on each node, and their number, by the names of nodes. */
final class NodeUses {
  private final Map<String, Map<String, Long>> byNode = new HashMap<>();

  /** Counts a pod on a node; an empty name means that it is on none. */
  void add(String node, PodModel pod) {
    change(node, pod, 1);
  }

  /** Undoes {@link #add}. */
  void remove(String node, PodModel pod) {
    change(node, pod, -1);
  }

  private void change(String node, PodModel pod, int sign) {
    if (node.isEmpty()) {
      return;
    }
    Map<String, Long> use = byNode.computeIfAbsent(node, name -> new HashMap<>());
    ResourceAmounts held = pod.spec().requests().held();
    for (int i = 0; i < held.size(); i++) {
      use.merge(held.name(i), sign * held.amount(i), Long::sum);
    }
    long left = use.merge(ResourceAmounts.PODS, (long) sign, Long::sum);
    if (left == 0) {
      byNode.remove(node);
    }
  }

  /** Returns the amount of a resource that the pods on a node request. */
  long of(String node, String resource) {
    Map<String, Long> use = byNode.get(node);
    return use == null ? 0 : use.getOrDefault(resource, 0L);
  }
}
