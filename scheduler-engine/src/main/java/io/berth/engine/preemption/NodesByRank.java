package io.berth.engine.preemption;

import io.berth.engine.state.NodeSet;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The nodes on which evictions may help one kind of preemptor, in order of rank: a tree in which
 * each inner entry holds the better of the two nodes below. A change of a node, and the search for
 * the next best node, each cost a walk between a leaf and the root.
 *
 * <p>The rank of a node is either that of its candidate, or an upper bound that is known without a
 * dry run. So dry runs are needed only on nodes that may still be the best.
 */
final class NodesByRank {
  private static final int NONE = -1;

  /** If more than one in this number of nodes change at once, all are compared again. */
  private static final int SHARE_TO_REBUILD = 16;

  private @Nullable Rank[] ranks = {};

  /** The nodes in the tree. */
  private final NodeSet members = new NodeSet();

  /** The nodes whose rank is that of their candidate. */
  private final NodeSet exact = new NodeSet();

  /** The nodes whose rank is outdated. */
  private final NodeSet stale = new NodeSet();

  /**
   * From the root at index 1 to the leaves, which are the slots: the best slot below each entry.
   */
  private int[] best = {NONE, NONE};

  private int leaves = 1;

  /** Ensures capacity for these slots; all become outdated. */
  void grow(int slots) {
    if (slots <= ranks.length) {
      return;
    }
    ranks = Arrays.copyOf(ranks, slots);
    members.grow(slots);
    exact.grow(slots);
    stale.grow(slots);
    leaves = Integer.highestOneBit(Math.max(1, slots - 1)) << 1;
    best = new int[2 * leaves];
    Arrays.fill(best, NONE);
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

  /** A lookup of the best rank that a node may have; null if evictions on it do not help. */
  interface Bounds {
    @Nullable Rank of(int slot);
  }

  /** Replaces the nodes in the tree, and looks up the best ranks of outdated ones. */
  void follow(NodeSet nodes, Bounds bounds) {
    NodeSet changed = NodeSet.copyOf(members);
    long[] words = changed.words();
    long[] wanted = nodes.words();
    long[] old = stale.words();
    for (int word = 0; word < words.length; word++) {
      long now = word < wanted.length ? wanted[word] : 0;
      words[word] = (words[word] ^ now) | (old[word] & now);
    }
    members.copy(nodes);
    boolean rebuild = changed.size() > ranks.length / SHARE_TO_REBUILD;
    changed.forEach(
        slot -> {
          if (stale.contains(slot) && members.contains(slot)) {
            ranks[slot] = bounds.of(slot);
            exact.remove(slot);
            stale.remove(slot);
          }
          if (!rebuild) {
            climb(slot, rankOf(slot) == null ? NONE : slot);
          }
        });
    if (rebuild) {
      rebuild();
    }
  }

  private void rebuild() {
    for (int slot = 0; slot < leaves; slot++) {
      best[leaves + slot] = slot < ranks.length && rankOf(slot) != null ? slot : NONE;
    }
    for (int place = leaves - 1; place > 0; place--) {
      best[place] = better(best[2 * place], best[2 * place + 1]);
    }
  }

  private @Nullable Rank rankOf(int slot) {
    return members.contains(slot) ? ranks[slot] : null;
  }

  private void climb(int slot, int winner) {
    int place = leaves + slot;
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
    Rank ofOne = ranks[one];
    Rank ofOther = ranks[other];
    return ofOne != null && ofOther != null && ofOther.isBetterThan(ofOne) ? other : one;
  }

  /** Returns the best node; -1 if there is none. */
  int first() {
    return best[1];
  }

  /** Returns the rank of a node in the tree. */
  Rank rank(int slot) {
    Rank rank = ranks[slot];
    if (rank == null) {
      throw new IllegalStateException("no rank in slot " + slot);
    }
    return rank;
  }

  /** Returns whether the rank of the node is that of its candidate. */
  boolean isExact(int slot) {
    return exact.contains(slot);
  }

  /** Sets the exact rank of the node; null if evictions on it do not help. */
  void put(int slot, @Nullable Rank rank) {
    ranks[slot] = rank;
    exact.put(slot, rank != null);
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
    return 200L + 52L * ranks.length + 4L * best.length + 3 * members.bytes();
  }
}
