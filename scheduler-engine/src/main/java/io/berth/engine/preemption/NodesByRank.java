package io.berth.engine.preemption;

import io.berth.engine.framework.DomainGate;
import io.berth.engine.state.NodeSet;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The nodes on which evictions may help one kind of preemptor, in order of rank: a tree in which
 * each inner entry holds the better of the two nodes below. A change of a node, and the search for
 * the next best node, each cost a walk between a leaf and the root.
 *
 * <p>The rank of a node is either that of its candidate, or an upper bound that is known without a
 * dry run. So dry runs are needed only on nodes that may still be the best.
 *
 * <p>If a {@link DomainGate} rejects whole domains, the leaves of a domain are next to each other,
 * and closed domains are passed over: a domain that opens or closes changes no leaf.
 */
final class NodesByRank {
  private static final int NONE = -1;

  /** If more than one in this number of nodes change at once, all are compared again. */
  private static final int SHARE_TO_REBUILD = 16;

  private @Nullable Rank[] ranks = {};

  /** The nodes with a leaf of their own; not those that are {@linkplain #alone tried alone}. */
  private final NodeSet members = new NodeSet();

  /** The nodes whose rank is a bound from a look at their pods, or exact. */
  private final NodeSet refined = new NodeSet();

  /** The nodes whose rank is that of their candidate, or that are known to be none. */
  private final NodeSet exact = new NodeSet();

  /** The nodes whose rank is outdated. */
  private final NodeSet stale = new NodeSet();

  /** The nodes whose results do not follow from their own pods and the filters' verdicts. */
  private final NodeSet alone = new NodeSet();

  /** For {@link #follow}: nodes whose rank is looked up, and nodes whose leaf changes. */
  private final NodeSet outdated = new NodeSet();

  private final NodeSet changed = new NodeSet();

  /**
   * From the root at index 1 to the leaves: the best slot below each entry. Without a gate, the
   * leaves are in the order of the slots.
   */
  private int[] best = {NONE, NONE};

  private int leaves = 1;

  private @Nullable DomainGate gate;
  private long gateVersion;

  /** The leaf of each slot, if there is a gate. */
  private int[] leafOf = {};

  /**
   * The first leaf of each domain of the gate, followed by that of the nodes without a domain, and
   * the end.
   */
  private int[] firstLeaf = {};

  /** Ensures capacity for these slots; all become outdated. */
  void grow(int slots) {
    if (slots <= ranks.length) {
      return;
    }
    ranks = Arrays.copyOf(ranks, slots);
    members.grow(slots);
    refined.grow(slots);
    exact.grow(slots);
    stale.grow(slots);
    alone.grow(slots);
    outdated.grow(slots);
    changed.grow(slots);
    leaves = Integer.highestOneBit(Math.max(1, slots - 1)) << 1;
    best = new int[2 * leaves];
    gate = null;
    rebuild();
    forgetAll();
  }

  /** Marks a changed node as outdated. */
  void forget(int slot) {
    if (slot < ranks.length) {
      stale.add(slot);
    }
  }

  /** Marks all nodes as outdated. */
  void forgetAll() {
    for (int slot = 0; slot < ranks.length; slot++) {
      stale.add(slot);
    }
  }

  /** The knowledge about a node before a dry run. */
  interface Bounds {
    /** Returns a bound of {@link #of} that is known without a look at the pods. */
    @Nullable Rank roughly(int slot);

    /** Returns the best rank that the node may have; null if evictions on it do not help. */
    @Nullable Rank of(int slot);

    /**
     * Returns whether the node has to be tried alone, because the filters' verdicts on it may
     * change with its own pods.
     */
    boolean isAlone(int slot);
  }

  /**
   * Replaces the nodes in the tree, and looks up the best ranks of outdated ones.
   *
   * @param nodes the nodes on which evictions may help
   * @param leftOut the nodes among them that must not be in the tree
   * @param usedGate the gate whose closed domains are passed over; null for none
   */
  void follow(NodeSet nodes, NodeSet leftOut, @Nullable DomainGate usedGate, Bounds bounds) {
    outdated.copy(stale);
    outdated.retainAll(nodes);
    outdated.forEach(
        slot -> {
          ranks[slot] = bounds.roughly(slot);
          refined.remove(slot);
          exact.remove(slot);
          alone.put(slot, ranks[slot] != null && bounds.isAlone(slot));
        });
    stale.removeAll(outdated);
    changed.copy(members);
    members.copy(nodes);
    members.removeAll(leftOut);
    members.removeAll(alone);
    changed.differAll(members);
    changed.addAll(outdated);
    boolean rebuild = arrange(usedGate) || changed.size() > ranks.length / SHARE_TO_REBUILD;
    if (rebuild) {
      rebuild();
    } else {
      changed.forEach(slot -> climb(slot, rankOf(slot) == null ? NONE : slot));
    }
  }

  /** Puts the leaves in the order of the gate's domains; returns whether any has moved. */
  private boolean arrange(@Nullable DomainGate usedGate) {
    if (usedGate == gate && (usedGate == null || usedGate.version() == gateVersion)) {
      return false;
    }
    gate = usedGate;
    if (usedGate == null) {
      return true;
    }
    gateVersion = usedGate.version();
    int[] domains = usedGate.domains();
    int without = 0;
    for (int domain : domains) {
      without = Math.max(without, domain + 1);
    }
    firstLeaf = new int[without + 2];
    for (int slot = 0; slot < ranks.length; slot++) {
      firstLeaf[domainOf(slot, domains, without) + 1]++;
    }
    for (int domain = 0; domain <= without; domain++) {
      firstLeaf[domain + 1] += firstLeaf[domain];
    }
    int[] next = firstLeaf.clone();
    leafOf = new int[ranks.length];
    for (int slot = 0; slot < ranks.length; slot++) {
      leafOf[slot] = next[domainOf(slot, domains, without)]++;
    }
    return true;
  }

  private static int domainOf(int slot, int[] domains, int without) {
    return slot < domains.length && domains[slot] >= 0 ? domains[slot] : without;
  }

  private int leaf(int slot) {
    return leaves + (gate == null ? slot : leafOf[slot]);
  }

  private void rebuild() {
    Arrays.fill(best, NONE);
    for (int slot = 0; slot < ranks.length; slot++) {
      if (rankOf(slot) != null) {
        best[leaf(slot)] = slot;
      }
    }
    for (int place = leaves - 1; place > 0; place--) {
      best[place] = better(best[2 * place], best[2 * place + 1]);
    }
  }

  private @Nullable Rank rankOf(int slot) {
    return members.contains(slot) ? ranks[slot] : null;
  }

  private void climb(int slot, int winner) {
    int place = leaf(slot);
    best[place] = winner;
    for (place >>= 1; place > 0; place >>= 1) {
      best[place] = better(best[2 * place], best[2 * place + 1]);
    }
  }

  /** Returns the better of two nodes; of equal ones the first, as in a pass over all of them. */
  private int better(int one, int other) {
    if (one == NONE || other == NONE) {
      return one == NONE ? other : one;
    }
    int first = Math.min(one, other);
    int second = Math.max(one, other);
    // A node that has changed may still be in an entry above a leaf that is not updated yet.
    Rank ofFirst = ranks[first];
    Rank ofSecond = ranks[second];
    return ofFirst != null && ofSecond != null && ofSecond.isBetterThan(ofFirst) ? second : first;
  }

  /** Returns the best node in the tree that is in no closed domain; -1 if there is none. */
  int first() {
    if (gate == null) {
      return best[1];
    }
    int first = NONE;
    int without = firstLeaf.length - 2;
    for (int domain = 0; domain <= without; domain++) {
      if (domain == without || !gate.closes(domain)) {
        first = better(first, bestOf(firstLeaf[domain], firstLeaf[domain + 1]));
      }
    }
    return first;
  }

  /** Returns the best node among the leaves from one index to another, which is not included. */
  private int bestOf(int from, int to) {
    int found = NONE;
    int low = leaves + from;
    for (int high = leaves + to; low < high; low >>= 1, high >>= 1) {
      if ((low & 1) == 1) {
        found = better(found, best[low++]);
      }
      if ((high & 1) == 1) {
        found = better(found, best[--high]);
      }
    }
    return found;
  }

  /** Returns whether evictions on the node may help. */
  boolean mayHelp(int slot) {
    return ranks[slot] != null;
  }

  /** Returns the rank of a node on which evictions may help. */
  Rank rank(int slot) {
    Rank rank = ranks[slot];
    if (rank == null) {
      throw new IllegalStateException("no rank in slot " + slot);
    }
    return rank;
  }

  /**
   * Looks at the pods of the node, unless its rank is known as exactly as that; returns whether its
   * rank has changed.
   */
  boolean refine(int slot, Bounds bounds) {
    if (refined.contains(slot)) {
      return false;
    }
    refined.add(slot);
    Rank before = ranks[slot];
    Rank rank = bounds.of(slot);
    ranks[slot] = rank;
    if (members.contains(slot)) {
      climb(slot, rank == null ? NONE : slot);
    }
    return !Objects.equals(before, rank);
  }

  /** Returns whether a dry run on the node was made: its rank is that of its candidate, if any. */
  boolean isExact(int slot) {
    return exact.contains(slot);
  }

  /** Returns the nodes that have to be tried alone; callers must not modify it. */
  NodeSet alone() {
    return alone;
  }

  /** Sets the exact rank of the node; null if evictions on it do not help. */
  void put(int slot, @Nullable Rank rank) {
    ranks[slot] = rank;
    refined.add(slot);
    exact.add(slot);
    climb(slot, rank == null ? NONE : slot);
  }

  /** Excludes the node until {@link #putBack}. */
  void setAside(int slot) {
    climb(slot, NONE);
  }

  /** Includes the nodes that {@link #setAside} has excluded. */
  void putBack(int slot) {
    climb(slot, slot);
  }

  long bytes() {
    return 200L + 52L * ranks.length + 4L * best.length + 4L * leafOf.length + 7 * members.bytes();
  }
}
