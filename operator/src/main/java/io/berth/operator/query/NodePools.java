package io.berth.operator.query;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.plugins.WaterLevel;
import io.berth.operator.schedule.EngineFeed;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The nodes of the cluster by pools, from the caches of this replica. A pool is the nodes with one
 * value of a label: the one that a served policy's WaterLevel names as its scope, or else the first
 * of {@link #WELL_KNOWN} that a node has.
 */
final class NodePools {
  static final List<String> WELL_KNOWN =
      List.of(
          "cloud.ctrip.com/pool",
          "karpenter.sh/nodepool",
          "cloud.google.com/gke-nodepool",
          "eks.amazonaws.com/nodegroup",
          "kubernetes.azure.com/agentpool",
          "node.kubernetes.io/instance-type");

  /** The name of the pool of all nodes if no node has such a label. */
  private static final String ALL = "cluster";

  /** The name of the pool of the nodes without the label. */
  private static final String REST = "unlabeled";

  private final Recent<List<ObjectNode>> pools;

  NodePools(EngineFeed feed, InstantSource clock) {
    this.pools =
        new Recent<>(
            now -> {
              Census census = new Census();
              feed.replay(census);
              return census.pools();
            },
            clock);
  }

  /** Returns the pools by name, as objects of the API. */
  List<ObjectNode> objects() {
    return pools.get();
  }

  /** The nodes, and what pods request of them, as one replay of the feed tells. */
  private static final class Census implements Consumer<ClusterEvent> {
    private final Map<String, NodeModel> nodes = new TreeMap<>();
    private final Map<String, Map<String, Long>> requested = new HashMap<>();
    private final Map<String, CardUse> usedCards = new HashMap<>();
    private final Map<String, String> scopes = new TreeMap<>();

    @Override
    public void accept(ClusterEvent event) {
      switch (event) {
        case ClusterEvent.NodeUpserted upserted ->
            nodes.put(upserted.node().name(), upserted.node());
        case ClusterEvent.PodUpserted upserted -> add(upserted.pod());
        case ClusterEvent.PolicyServed served ->
            served.policy().gaugedScores().stream()
                .filter(WaterLevel.class::isInstance)
                .flatMap(score -> ((WaterLevel) score).nodeLabel().stream())
                .forEach(label -> scopes.putIfAbsent(served.policy().name(), label));
        default -> {
          // Other objects are of no pool.
        }
      }
    }

    private void add(PodModel pod) {
      if (pod.finished() || pod.nodeName().isEmpty()) {
        return;
      }
      Map<String, Long> onNode = requested.computeIfAbsent(pod.nodeName(), node -> new HashMap<>());
      ResourceAmounts held = pod.spec().requests().held();
      for (int i = 0; i < held.size(); i++) {
        onNode.merge(held.name(i), held.amount(i), Long::sum);
      }
      onNode.merge(ResourceAmounts.PODS, 1L, Long::sum);
      usedCards.computeIfAbsent(pod.nodeName(), node -> new CardUse()).add(pod);
    }

    private String label() {
      return Stream.concat(scopes.values().stream(), WELL_KNOWN.stream())
          .filter(key -> nodes.values().stream().anyMatch(node -> node.labels().containsKey(key)))
          .findFirst()
          .orElse("");
    }

    List<ObjectNode> pools() {
      String label = label();
      Map<String, NodePool> pools = new TreeMap<>();
      for (NodeModel node : nodes.values()) {
        String value = label.isEmpty() ? ALL : node.labels().getOrDefault(label, "");
        pools
            .computeIfAbsent(value.isEmpty() ? REST : value, name -> new NodePool(name, label))
            .add(
                node,
                requested.getOrDefault(node.name(), Map.of()),
                usedCards.getOrDefault(node.name(), new CardUse()));
      }
      return pools.values().stream().map(NodePool::object).toList();
    }
  }
}
