package io.berth.engine.cycle;

import io.berth.engine.decision.RejectionCount;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The first filter that rejects each node, for one plan, with the number of nodes by filter and
 * verdict. It follows the changes that filters publish, so that a change of one node costs an
 * update of that node, not a pass over all filters and nodes.
 */
final class FirstRejections {
  private static final int PASSES = 0;
  private static final int VERDICT_BITS = 16;

  private final List<NodeFilter> filters;
  private final List<String> names;
  private final ClusterState state;
  private final NodeTable nodes;
  private final NodeSet feasible = new NodeSet();
  private final NodeSet curable = new NodeSet();

  /** The nodes to examine; empty except while changes of the filters are applied. */
  private final NodeSet changed = new NodeSet();

  private final long[] seen;
  private final int[][] counts;
  private int[] first = {};
  private int seenSlots = -1;
  private long seenNodes;
  private long looks;
  private long chargedBytes;

  FirstRejections(List<NodeFilter> filters, List<String> names, ClusterState state) {
    this.filters = filters;
    this.names = names;
    this.state = state;
    this.nodes = state.nodes();
    this.seen = new long[filters.size()];
    this.counts = new int[filters.size()][2];
  }

  /** Applies the changes of the filters, which have been refreshed. */
  void refresh() {
    boolean all = seenSlots != nodes.slots();
    for (int i = 0; i < seen.length; i++) {
      all |= !filters.get(i).changes().knowsSince(seen[i]);
    }
    if (all) {
      rebuild();
    } else {
      follow();
    }
    for (int i = 0; i < seen.length; i++) {
      seen[i] = filters.get(i).changes().version();
    }
  }

  /** Visits each changed node once, and neighboring nodes in sequence. */
  private void follow() {
    long before = seenNodes;
    seenNodes = nodes.membershipLog().visit(seenNodes, changed::add);
    boolean any = seenNodes != before;
    for (int i = 0; i < seen.length; i++) {
      any |= filters.get(i).changes().version() != seen[i];
      filters.get(i).changes().forEachSince(seen[i], changed::add);
    }
    if (any) {
      changed.forEach(this::look);
      changed.clear();
    }
  }

  private void rebuild() {
    seenSlots = nodes.slots();
    seenNodes = nodes.membershipLog().head();
    if (first.length < seenSlots) {
      first = new int[nodes.roomForSlots()];
      feasible.grow(first.length);
      curable.grow(first.length);
      changed.grow(first.length);
      charge();
    } else {
      Arrays.fill(first, PASSES);
    }
    curable.clear();
    feasible.copy(nodes.alive());
    for (int[] ofFilter : counts) {
      Arrays.fill(ofFilter, 0);
    }
    long[] left = feasible.words();
    for (int i = 0; i < seen.length; i++) {
      NodeFilter filter = filters.get(i);
      long[] rejected = filter.rejected().words();
      for (int word = 0; word < Math.min(left.length, rejected.length); word++) {
        long both = left[word] & rejected[word];
        left[word] &= ~both;
        rejectAll(word, both, i);
      }
    }
    looks += seenSlots;
  }

  private void look(int slot) {
    looks++;
    int before = first[slot];
    if (before != PASSES) {
      first[slot] = PASSES;
      counts[filterOf(before)][verdictOf(before)]--;
      curable.remove(slot);
    }
    boolean passes = nodes.alive().contains(slot);
    for (int i = 0; passes && i < seen.length; i++) {
      int verdict = filters.get(i).verdictAt(slot);
      if (verdict != NodeFilter.PASSES) {
        passes = false;
        reject(slot, i, verdict);
      }
    }
    feasible.put(slot, passes);
  }

  /**
   * Records the same rejection for several nodes: neighbors often share a verdict, which is looked
   * up once.
   */
  private void rejectAll(int word, long slots, int number) {
    NodeFilter filter = filters.get(number);
    for (long left = slots; left != 0; ) {
      int verdict = filter.verdictAt((word << 6) + Long.numberOfTrailingZeros(left));
      int rejection = rejection(number, verdict);
      long alike = 0;
      for (long bits = left; bits != 0; bits &= bits - 1) {
        int slot = (word << 6) + Long.numberOfTrailingZeros(bits);
        if (filter.verdictAt(slot) == verdict) {
          first[slot] = rejection;
          alike |= bits & -bits;
        }
      }
      count(number, verdict, Long.bitCount(alike));
      if (filter.verdict(verdict).resolvable()) {
        curable.words()[word] |= alike;
      }
      left &= ~alike;
    }
  }

  private void reject(int slot, int filter, int verdict) {
    first[slot] = rejection(filter, verdict);
    count(filter, verdict, 1);
    if (filters.get(filter).verdict(verdict).resolvable()) {
      curable.add(slot);
    }
  }

  private static int rejection(int filter, int verdict) {
    return ((filter + 1) << VERDICT_BITS) | verdict;
  }

  private void count(int filter, int verdict, int more) {
    int[] ofFilter = counts[filter];
    if (verdict >= ofFilter.length) {
      ofFilter = Arrays.copyOf(ofFilter, verdict * 2);
      counts[filter] = ofFilter;
    }
    ofFilter[verdict] += more;
  }

  private static int filterOf(int rejection) {
    return (rejection >>> VERDICT_BITS) - 1;
  }

  private static int verdictOf(int rejection) {
    return rejection & ((1 << VERDICT_BITS) - 1);
  }

  /** Returns the nodes that no filter rejects; callers must not modify it. */
  NodeSet feasible() {
    return feasible;
  }

  /** Returns the nodes whose first rejection evictions may resolve; callers must not modify it. */
  NodeSet curableByEviction() {
    return curable;
  }

  /**
   * Returns the number of nodes that each filter was the first to reject, by reason, in the
   * filters' order.
   */
  List<RejectionCount> counts() {
    List<RejectionCount> rejections = new ArrayList<>();
    for (int i = 0; i < counts.length; i++) {
      for (int verdict = 1; verdict < counts[i].length; verdict++) {
        if (counts[i][verdict] > 0) {
          rejections.add(
              RejectionCount.by(names.get(i), filters.get(i).verdict(verdict), counts[i][verdict]));
        }
      }
    }
    return rejections;
  }

  /** Returns the number of nodes examined so far; tests compare it with the number of changes. */
  long looks() {
    return looks;
  }

  private void charge() {
    long bytes = 300 + 4L * first.length + 3 * feasible.bytes();
    state.answers().charge(bytes - chargedBytes);
    chargedBytes = bytes;
  }

  /** Releases the filters when the plan is dropped. */
  void release() {
    state.answers().charge(-chargedBytes);
    chargedBytes = 0;
  }
}
