package io.berth.operator.query;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.ResourceAmounts;
import java.util.HashMap;
import java.util.Map;
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
  private long freeMilli;
  private long freeMilliOfHeldCards;

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
   * @param used what pods hold of its cards
   */
  void add(NodeModel node, Map<String, Long> requested, CardUse used) {
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

  private void addCards(NodeModel node, CardUse used) {
    int free = 0;
    for (int i = 0; i < node.cards().cards().size(); i++) {
      boolean healthy = node.cards().cards().get(i).healthy();
      boolean isHeld = used.isHeld(node, i);
      cards++;
      usedCards += isHeld ? 1 : 0;
      free += !isHeld && healthy ? 1 : 0;
      unusableCards += !isHeld && !healthy ? 1 : 0;
      if (healthy && !node.unschedulable()) {
        int milli = used.freeMilli(node, i);
        freeMilli += milli;
        freeMilliOfHeldCards += isHeld ? milli : 0;
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
          .put("mostFreeOnANode", mostFreeCards)
          .put(
              "fragmentationPercent",
              Math.round((double) PERCENT * freeMilliOfHeldCards / Math.max(1, freeMilli)));
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
