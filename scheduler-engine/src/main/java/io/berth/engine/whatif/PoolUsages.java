package io.berth.engine.whatif;

import io.berth.engine.model.NodeModel;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodSpec;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.topology.ToleratedNodes;
import io.berth.engine.whatif.PlacementAnswer.Placement;
import io.berth.engine.whatif.PoolUsage.ResourceUsage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The usage of the nodes that a pod may use, before and after a trial. Create it before the trial
 * changes the mirror.
 */
final class PoolUsages {
  private final Mirror mirror;
  private final PodModel pod;
  private final List<String> resources;
  private final long[] before;

  PoolUsages(Mirror mirror, PodModel pod) {
    this.mirror = mirror;
    this.pod = pod;
    this.resources = resources(pod.spec().requests().asked());
    this.before = sum(used().values());
  }

  private static List<String> resources(ResourceAmounts asked) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < asked.size(); i++) {
      if (asked.amount(i) > 0) {
        names.add(asked.name(i));
      }
    }
    names.add(ResourceAmounts.PODS);
    return names;
  }

  /**
   * Returns the usage with these placements, while the trial lasts.
   *
   * @param moved other pods on their new nodes
   */
  PoolUsage after(List<Placement> placements, List<PodModel> moved) {
    Map<String, long[]> used = used();
    for (Placement placed : placements) {
      long[] onNode = used.get(placed.node());
      if (onNode != null) {
        add(onNode, pod.spec().requests().held());
      }
    }
    for (PodModel other : moved) {
      long[] onNode = used.get(other.nodeName());
      if (onNode != null) {
        add(onNode, other.spec().requests().held());
      }
    }
    long[] allocatable = new long[resources.size()];
    long[] largestFree = new long[resources.size()];
    for (Map.Entry<String, long[]> entry : used.entrySet()) {
      ResourceAmounts offered = mirror.node(entry.getKey()).orElseThrow().allocatable();
      for (int i = 0; i < resources.size(); i++) {
        long amount = offered.amountOf(resources.get(i));
        allocatable[i] += amount;
        largestFree[i] = Math.max(largestFree[i], amount - entry.getValue()[i]);
      }
    }
    long[] after = sum(used.values());
    List<ResourceUsage> usages = new ArrayList<>();
    for (int i = 0; i < resources.size(); i++) {
      usages.add(
          new ResourceUsage(resources.get(i), allocatable[i], before[i], after[i], largestFree[i]));
    }
    return new PoolUsage(used.size(), usages);
  }

  /** Returns the requests on each node that the pod may use. */
  private Map<String, long[]> used() {
    Map<String, long[]> used = new HashMap<>();
    for (NodeModel node : mirror.nodes()) {
      if (mayUse(pod.spec(), node)) {
        long[] onNode = new long[resources.size()];
        Arrays.setAll(onNode, i -> mirror.uses().of(node.name(), resources.get(i)));
        used.put(node.name(), onNode);
      }
    }
    return used;
  }

  private void add(long[] used, ResourceAmounts held) {
    int last = resources.size() - 1;
    for (int i = 0; i < last; i++) {
      used[i] += held.amountOf(resources.get(i));
    }
    used[last]++;
  }

  private long[] sum(Iterable<long[]> amounts) {
    long[] sum = new long[resources.size()];
    for (long[] each : amounts) {
      Arrays.setAll(sum, i -> sum[i] + each[i]);
    }
    return sum;
  }

  /** Returns whether the pod's node selector, required affinity, and tolerations allow the node. */
  static boolean mayUse(PodSpec spec, NodeModel node) {
    if (!ToleratedNodes.tolerates(spec.tolerations(), node.taints())) {
      return false;
    }
    if (!node.labels().entrySet().containsAll(spec.nodes().nodeSelector().entrySet())) {
      return false;
    }
    return spec.nodes()
        .required()
        .map(terms -> terms.stream().anyMatch((NodeTerm term) -> term.matches(node)))
        .orElse(true);
  }
}
