package io.berth.engine.quota;

import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The amounts that queues would have if the capacity was shared again: first the guarantees, then
 * the rest by the priorities and weights of the queues, and nothing beyond what a queue uses, asks
 * for, and may have. Each resource is shared by itself, as in the fair shares of KAI and the
 * deserved amounts of Volcano; the rules of {@link NextUnit} and {@link Reclaim} compare the
 * largest share in any resource, and reach these amounts as far as pods and nodes can be divided.
 */
final class FairShares {
  private static final Comparator<QueueNode> FIRST =
      Comparator.comparingInt((QueueNode node) -> node.priority)
          .reversed()
          .thenComparing(node -> node.name);

  private final Function<QueueNode, long[]> pending;
  private final IdentityHashMap<QueueNode, long[]> demands = new IdentityHashMap<>();

  /** The part of the demands that guarantees cover, with those of the queues below. */
  private final IdentityHashMap<QueueNode, long[]> guaranteed = new IdentityHashMap<>();

  private final IdentityHashMap<QueueNode, long[]> shares = new IdentityHashMap<>();

  private FairShares(Function<QueueNode, long[]> pending) {
    this.pending = pending;
  }

  /**
   * Returns the amounts of all queues; 0 for resources whose capacity is unknown.
   *
   * @param pending returns what the waiting units of a leaf need beyond its use
   */
  static Map<QueueNode, long[]> of(
      QueueNode root, long[] capacity, Function<QueueNode, long[]> pending) {
    FairShares fair = new FairShares(pending);
    fair.demandOf(root);
    long[] all = capacity.clone();
    for (int i = 0; i < all.length; i++) {
      all[i] = Math.max(0, all[i]); // also if it is unknown
    }
    fair.shares.put(root, all);
    fair.shareAmongChildren(root);
    return fair.shares;
  }

  /** Returns what a queue uses and asks for, as far as its limits allow. */
  private long[] demandOf(QueueNode node) {
    long[] demand = new long[node.limit.length];
    if (node.isLeaf()) {
      Amounts.addUpToLargest(demand, node.use);
      Amounts.addUpToLargest(demand, pending.apply(node));
    }
    long[] covered = new long[demand.length];
    for (QueueNode child : node.children) {
      Amounts.addUpToLargest(demand, demandOf(child));
      Amounts.addUpToLargest(covered, amount(guaranteed, child));
    }
    for (int i = 0; i < demand.length; i++) {
      demand[i] = Math.min(demand[i], node.limit[i]);
      covered[i] = Math.min(demand[i], Math.max(covered[i], node.guaranteed(i)));
    }
    demands.put(node, demand);
    guaranteed.put(node, covered);
    return demand;
  }

  private static long[] amount(Map<QueueNode, long[]> amounts, QueueNode node) {
    return amounts.getOrDefault(node, new long[node.limit.length]);
  }

  private long[] demand(QueueNode node) {
    return amount(demands, node);
  }

  private long[] share(QueueNode node) {
    return shares.computeIfAbsent(node, absent -> new long[node.limit.length]);
  }

  private void shareAmongChildren(QueueNode node) {
    List<QueueNode> children = node.children.stream().sorted(FIRST).toList();
    for (int i = 0; i < node.limit.length; i++) {
      long left = share(node)[i];
      for (QueueNode child : children) {
        long first = Math.min(left, amount(guaranteed, child)[i]);
        share(child)[i] = first;
        left -= first;
      }
      int from = 0;
      while (from < children.size()) {
        int to = from;
        while (to < children.size() && children.get(to).priority == children.get(from).priority) {
          to++;
        }
        left = shareByWeight(children.subList(from, to), i, left);
        from = to;
      }
    }
    children.forEach(this::shareAmongChildren);
  }

  /**
   * Shares an amount by weight, with no queue getting more than its demand; returns what is left.
   * Those that need the least for their weight are served first: what they do not need is for the
   * others.
   */
  private long shareByWeight(List<QueueNode> equals, int i, long amount) {
    List<QueueNode> byNeed =
        equals.stream()
            .sorted(Comparator.comparingDouble(node -> (double) wanted(node, i) / node.weight))
            .toList();
    long weights = byNeed.stream().mapToLong(node -> node.weight).sum();
    long left = amount;
    for (QueueNode node : byNeed) {
      long part = Math.min(wanted(node, i), (long) ((double) left * node.weight / weights));
      share(node)[i] += part;
      left -= part;
      weights -= node.weight;
    }
    return left;
  }

  private long wanted(QueueNode node, int i) {
    return demand(node)[i] - share(node)[i];
  }
}
