package io.berth.engine.whatif;

import io.berth.engine.model.AffinityTerm;
import io.berth.engine.model.CardInventory;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodSpec;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.model.SpreadConstraint;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The kinds of nodes that may differ for a pod. Two nodes are of one kind if they offer about as
 * much of what the pod requests, and have equal labels, except for labels that name nodes instead
 * of kinds.
 */
final class NodeKinds {
  private static final Comparator<NodeModel> BY_SIZE =
      Comparator.comparingLong((NodeModel node) -> node.allocatable().amountOf(ResourceAmounts.CPU))
          .thenComparingLong(node -> node.allocatable().amountOf(ResourceAmounts.MEMORY))
          .thenComparing(NodeModel::name);

  /** The leading bits of an amount that distinguish kinds: amounts of one kind differ by 1/8. */
  private static final int LEADING_BITS = 4;

  /** The facts that distinguish a kind. */
  private record Kind(
      Map<String, Long> amounts,
      Map<String, String> labels,
      Set<String> declaredFeatures,
      CardInventory cards) {}

  private final PodSpec spec;
  private final List<NodeModel> nodes;
  private final Set<String> namingLabels;

  /**
   * @param most how many values a label has at most that distinguishes kinds, unless the pod reads
   *     it
   */
  private NodeKinds(PodSpec spec, Collection<NodeModel> nodes, int most) {
    this.spec = spec;
    this.nodes =
        nodes.stream()
            .filter(node -> !node.unschedulable())
            .filter(node -> PoolUsages.mayUse(spec, node))
            .filter(node -> isLargeEnough(spec, node))
            .sorted(BY_SIZE)
            .toList();
    this.namingLabels = namingLabels(spec, this.nodes, most);
  }

  /**
   * Returns the smallest node of each kind that the pod may use and that is large enough for it,
   * the smallest first. If there are more kinds than {@code most}, those come first into the list
   * that offer all that the pod requests, then the smaller ones.
   */
  static List<NodeModel> of(PodSpec spec, Collection<NodeModel> nodes, int most) {
    return new NodeKinds(spec, nodes, most).smallest(most);
  }

  private List<NodeModel> smallest(int most) {
    Map<Kind, NodeModel> kinds = new LinkedHashMap<>();
    nodes.forEach(node -> kinds.putIfAbsent(kind(node), node));
    return kinds.values().stream()
        .sorted(Comparator.comparing(node -> !offersAll(node)))
        .limit(most)
        .sorted(BY_SIZE)
        .toList();
  }

  /**
   * Returns whether the node, if it were empty, would have room for the pod. Only what no policy
   * ignores is compared: the resources that Kubernetes defines.
   */
  private static boolean isLargeEnough(PodSpec spec, NodeModel node) {
    return offers(spec, node, resource -> !resource.contains("/"));
  }

  private boolean offersAll(NodeModel node) {
    return offers(spec, node, resource -> true)
        && (spec.cards().requests().isEmpty() || !node.cards().cards().isEmpty());
  }

  /** Returns whether a node offers as much as the pod requests of those resources that match. */
  private static boolean offers(PodSpec spec, NodeModel node, Predicate<String> compared) {
    ResourceAmounts asked = spec.requests().asked();
    for (int i = 0; i < asked.size(); i++) {
      if (compared.test(asked.name(i))
          && asked.amount(i) > node.allocatable().amountOf(asked.name(i))) {
        return false;
      }
    }
    return true;
  }

  /** Returns the labels that no kind has in common, such as names and serial numbers of nodes. */
  private static Set<String> namingLabels(PodSpec spec, List<NodeModel> nodes, int most) {
    Map<String, Set<String>> values = new HashMap<>();
    for (NodeModel node : nodes) {
      node.labels()
          .forEach((key, value) -> values.computeIfAbsent(key, k -> new HashSet<>()).add(value));
    }
    values.values().removeIf(distinct -> distinct.size() <= most);
    Set<String> naming = new HashSet<>(values.keySet());
    topologyKeys(spec).forEach(naming::remove);
    naming.add(Hypothesis.HOST_NAME);
    return naming;
  }

  private static Stream<String> topologyKeys(PodSpec spec) {
    return Stream.of(
            spec.spread().stream().map(SpreadConstraint::topologyKey),
            spec.affinity().requiredAffinity().stream().map(AffinityTerm::topologyKey),
            spec.affinity().requiredAnti().stream().map(AffinityTerm::topologyKey))
        .flatMap(keys -> keys);
  }

  private Kind kind(NodeModel node) {
    Map<String, String> labels = new HashMap<>(node.labels());
    labels.keySet().removeAll(namingLabels);
    return new Kind(
        amounts(node.allocatable()),
        labels,
        node.declaredFeatures(),
        spec.cards().requests().isEmpty() ? CardInventory.none() : withoutIds(node.cards()));
  }

  /** Returns what the node offers of each resource that the pod requests, rounded down. */
  private Map<String, Long> amounts(ResourceAmounts allocatable) {
    ResourceAmounts asked = spec.requests().asked();
    Map<String, Long> amounts = new HashMap<>();
    for (int i = 0; i < asked.size(); i++) {
      amounts.put(asked.name(i), rounded(allocatable.amountOf(asked.name(i))));
    }
    return amounts;
  }

  private static long rounded(long amount) {
    int bits = Long.SIZE - Long.numberOfLeadingZeros(amount);
    int dropped = Math.max(0, bits - LEADING_BITS);
    return amount >> dropped << dropped;
  }

  private static CardInventory withoutIds(CardInventory inventory) {
    return new CardInventory(
        inventory.agent(),
        inventory.cards().stream().map(card -> card.named("")).toList(),
        inventory.order(),
        inventory.atOnce(),
        inventory.problem(),
        inventory.sums());
  }
}
