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

  /** The amounts of one queue. */
  private static final class Fair {
    /** The amounts that it uses and asks for, as far as its limits allow. */
    final long[] demand;

    /** The part of the demand that guarantees cover, with those of the queues below. */
    final long[] guaranteed;

    final long[] share;

    Fair(int resources) {
      this.demand = new long[resources];
      this.guaranteed = new long[resources];
      this.share = new long[resources];
    }

    long wanted(int i) {
      return demand[i] - share[i];
    }
  }

  private final Function<QueueNode, long[]> pending;
  private final IdentityHashMap<QueueNode, Fair> amounts = new IdentityHashMap<>();

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
    Fair all = fair.demandOf(root);
    for (int i = 0; i < capacity.length; i++) {
      all.share[i] = Math.max(0, capacity[i]); // also if it is unknown
    }
    fair.shareAmongChildren(root);
    IdentityHashMap<QueueNode, long[]> shares = new IdentityHashMap<>();
    fair.amounts.forEach((node, amounts) -> shares.put(node, amounts.share));
    return shares;
  }

  private Fair of(QueueNode node) {
    return amounts.computeIfAbsent(node, absent -> new Fair(node.limit.length));
  }

  /** Determines the demands of a queue and of all below. */
  private Fair demandOf(QueueNode node) {
    Fair here = of(node);
    if (node.isLeaf()) {
      AmountVectors.addUpToLargest(here.demand, node.use);
      AmountVectors.addUpToLargest(here.demand, pending.apply(node));
    }
    for (QueueNode child : node.children) {
      Fair below = demandOf(child);
      AmountVectors.addUpToLargest(here.demand, below.demand);
      AmountVectors.addUpToLargest(here.guaranteed, below.guaranteed);
    }
    for (int i = 0; i < here.demand.length; i++) {
      here.demand[i] = Math.min(here.demand[i], node.limit[i]);
      here.guaranteed[i] =
          Math.min(here.demand[i], Math.max(here.guaranteed[i], node.guaranteed(i)));
    }
    return here;
  }

  private void shareAmongChildren(QueueNode node) {
    List<QueueNode> children = node.children.stream().sorted(FIRST).toList();
    for (int i = 0; i < node.limit.length; i++) {
      long left = of(node).share[i];
      for (QueueNode child : children) {
        long first = Math.min(left, of(child).guaranteed[i]);
        of(child).share[i] = first;
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
            .sorted(Comparator.comparingDouble(node -> (double) of(node).wanted(i) / node.weight))
            .toList();
    long weights = byNeed.stream().mapToLong(node -> node.weight).sum();
    long left = amount;
    for (QueueNode node : byNeed) {
      long part = Math.min(of(node).wanted(i), (long) ((double) left * node.weight / weights));
      of(node).share[i] += part;
      left -= part;
      weights -= node.weight;
    }
    return left;
  }
}
