package io.berth.operator.query;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.model.Card;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.ResourceAmounts;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A group of nodes, as sums over them. Not thread-safe. */
final class NodePool {
  private static final long PERCENT = 100;

  private final String name;
  private final String label;
  private final Map<String, Use> resources = new TreeMap<>();
  private Map<String, Long> largestShape = Map.of();
  private int nodes;
  private int unschedulable;
  private int cards;
  private int unusableCards;
  private int usedCards;
  private int mostFreeCards;

  /** The use of one resource, in its base unit. */
  private static final class Use {
    long allocatable;
    long requested;
    long largestFree;
  }

  /**
   * @param label the key of the label by which nodes are grouped; empty for one group of all nodes
   */
  NodePool(String name, String label) {
    this.name = name;
    this.label = label;
  }

  /**
   * Adds a node.
   *
   * @param requested what its pods request, with their number under {@code pods}
   * @param used the names of its cards that pods hold
   */
  void add(NodeModel node, Map<String, Long> requested, Set<String> used) {
    nodes++;
    unschedulable += node.unschedulable() ? 1 : 0;
    ResourceAmounts offered = node.allocatable();
    Map<String, Long> free = new HashMap<>();
    for (int i = 0; i < offered.size(); i++) {
      String resource = offered.name(i);
      Use use = resources.computeIfAbsent(resource, absent -> new Use());
      long taken = requested.getOrDefault(resource, 0L);
      use.allocatable += offered.amount(i);
      use.requested += taken;
      free.put(resource, Math.max(0, offered.amount(i) - taken));
    }
    addCards(node, used);
    if (node.unschedulable()) {
      return; // what is free there cannot be used
    }
    free.forEach(
        (resource, amount) -> {
          Use use = resources.get(resource);
          use.largestFree = Math.max(use.largestFree, amount);
        });
    if (isLarger(free, largestShape)) {
      largestShape = free;
    }
  }

  private static boolean isLarger(Map<String, Long> free, Map<String, Long> other) {
    int byCpu = Long.compare(of(free, ResourceAmounts.CPU), of(other, ResourceAmounts.CPU));
    return byCpu > 0
        || (byCpu == 0 && of(free, ResourceAmounts.MEMORY) > of(other, ResourceAmounts.MEMORY));
  }

  private static long of(Map<String, Long> amounts, String resource) {
    return amounts.getOrDefault(resource, -1L);
  }

  private void addCards(NodeModel node, Set<String> used) {
    int free = 0;
    int position = 0;
    for (Card card : node.cards().cards()) {
      cards++;
      String id = card.id().isEmpty() ? String.valueOf(position) : card.id();
      position++;
      if (used.contains(id)) {
        usedCards++;
      } else if (card.healthy()) {
        free++;
      } else {
        unusableCards++;
      }
    }
    mostFreeCards = Math.max(mostFreeCards, node.unschedulable() ? 0 : free);
  }

  /** Returns the pool as an object of the API. */
  ObjectNode object() {
    ObjectNode pool = QueryApi.object(QueryResource.POOLS.kind());
    pool.putObject("metadata").put("name", name);
    ObjectNode status = pool.putObject("status");
    status.put("label", label).put("nodes", nodes).put("unschedulableNodes", unschedulable);
    ArrayNode list = status.putArray("resources");
    resources.forEach((resource, use) -> write(list.addObject(), resource, use));
    ObjectNode shape = status.putObject("largestShape");
    new TreeMap<>(largestShape)
        .forEach((resource, amount) -> shape.put(resource, Quantities.text(resource, amount)));
    if (cards > 0) {
      status
          .putObject("cards")
          .put("cards", cards)
          .put("used", usedCards)
          .put("unusable", unusableCards)
          .put("free", cards - usedCards - unusableCards)
          .put("mostFreeOnANode", mostFreeCards);
    }
    return pool;
  }

  private static void write(ObjectNode item, String resource, Use use) {
    item.put("name", resource)
        .put("allocatable", Quantities.text(resource, use.allocatable))
        .put("requested", Quantities.text(resource, use.requested))
        .put("largestFree", Quantities.text(resource, use.largestFree));
    if (use.allocatable > 0) {
      item.put("requestedPercent", Math.round((double) PERCENT * use.requested / use.allocatable));
    }
  }
}
