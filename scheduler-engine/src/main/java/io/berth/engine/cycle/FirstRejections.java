package io.berth.engine.cycle;

import io.berth.engine.decision.RejectionCount;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NarrowColumn;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The first filter that rejects each node, for one plan, with the number of nodes by filter and
 * verdict. It follows the changes that filters publish, so that a change of one node costs an
 * update of that node, not a pass over all filters and nodes.
 */
final class FirstRejections {
  private static final int PASSES = 0;

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

  /** The number of the first rejection by slot, except for those by a gate. */
  private final NarrowColumn first = new NarrowColumn();

  /** The numbers of the rejections, by filter and verdict; 0 for those without a number yet. */
  private final int[][] numbers;

  /** The filter and the verdict of each rejection, by number: two entries each. */
  private int[] numbered = new int[8];

  private int rejections = 1;

  /** The nodes that each filter is the first to reject by its gate; null for filters without. */
  private final @Nullable GateRejections[] gated;

  private int seenSlots = -1;
  private long seenNodes;
  private long looks;
  private final long sets;
  private long chargedBytes;

  FirstRejections(List<NodeFilter> filters, List<String> names, ClusterState state) {
    this.filters = filters;
    this.names = names;
    this.state = state;
    this.nodes = state.nodes();
    this.seen = new long[filters.size()];
    this.counts = new int[filters.size()][2];
    this.numbers = new int[filters.size()][2];
    this.gated = filters.stream().map(GateRejections::of).toArray(GateRejections[]::new);
    this.sets = 3 + Arrays.stream(gated).filter(Objects::nonNull).count();
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
    charge();
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
    for (int i = 0; i < seen.length; i++) {
      GateRejections behind = gated[i];
      for (int turned = behind == null ? 0 : behind.turned(); turned != 0; turned &= turned - 1) {
        turn(i, behind, Integer.numberOfTrailingZeros(turned));
      }
    }
  }

  /** Applies that the gate of a filter has opened or closed a domain, 64 nodes at a time. */
  private void turn(int number, GateRejections behind, int domain) {
    long[] inDomain = behind.gate().nodesIn(domain).words();
    boolean closes = behind.gate().closes(domain);
    int words = Math.min(inDomain.length, feasible.words().length);
    for (int word = 0; word < words; word++) {
      long here = inDomain[word];
      if (here == 0) {
        continue;
      }
      if (closes) {
        long passed = here & feasible.words()[word];
        feasible.words()[word] &= ~passed;
        rejectByGate(number, behind, word, passed);
        lookAtAll(word, here & ~passed & rejectedAfter(number, word));
      } else {
        long admitted = here & behind.nodes().words()[word];
        behind.nodes().words()[word] &= ~admitted;
        count(number, behind.gate().verdict(), -Long.bitCount(admitted));
        curable.words()[word] &= ~admitted;
        long stillRejected = admitted & rejectedAfter(number, word);
        feasible.words()[word] |= admitted & ~stillRejected;
        lookAtAll(word, stillRejected);
      }
    }
  }

  /** Returns the nodes of a word that any later filter rejects. */
  private long rejectedAfter(int number, int word) {
    long rejected = 0;
    for (int i = number + 1; i < seen.length; i++) {
      long[] words = filters.get(i).rejected().words();
      rejected |= word < words.length ? words[word] : 0;
    }
    return rejected;
  }

  private void lookAtAll(int word, long slots) {
    for (long bits = slots; bits != 0; bits &= bits - 1) {
      look((word << 6) + Long.numberOfTrailingZeros(bits));
    }
  }

  private void rebuild() {
    seenSlots = nodes.slots();
    seenNodes = nodes.membershipLog().head();
    if (first.length() < seenSlots) {
      first.clear();
      first.grow(nodes.roomForSlots());
      feasible.grow(first.length());
      curable.grow(first.length());
      changed.grow(first.length());
      charge();
    } else {
      first.fill(0, first.length(), PASSES);
    }
    curable.clear();
    feasible.copy(nodes.alive());
    for (int i = 0; i < seen.length; i++) {
      Arrays.fill(counts[i], 0);
      if (gated[i] != null) {
        gated[i].clear(first.length());
      }
    }
    long[] left = feasible.words();
    for (int i = 0; i < seen.length; i++) {
      NodeFilter filter = filters.get(i);
      long[] rejected = filter.rejected().words();
      for (int word = 0; word < Math.min(left.length, rejected.length); word++) {
        long both = left[word] & rejected[word];
        left[word] &= ~both;
        long behindGate = gated[i] == null ? 0 : both & gated[i].gate().closedIn(word);
        if (behindGate != 0) {
          rejectByGate(i, gated[i], word, behindGate);
        }
        rejectAll(word, both & ~behindGate, i);
      }
    }
    looks += seenSlots;
  }

  private void look(int slot) {
    looks++;
    int before = first.get(slot);
    if (before != PASSES) {
      first.set(slot, PASSES);
      counts[numbered[2 * before]][numbered[2 * before + 1]]--;
      curable.remove(slot);
    } else {
      leaveGate(slot);
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

  private void leaveGate(int slot) {
    for (int i = 0; i < seen.length; i++) {
      GateRejections behind = gated[i];
      if (behind != null && behind.nodes().put(slot, false)) {
        count(i, behind.gate().verdict(), -1);
        curable.remove(slot);
      }
    }
  }

  /** Records that a gate is the first to reject these nodes. */
  private void rejectByGate(int number, GateRejections behind, int word, long slots) {
    int verdict = behind.gate().verdict();
    behind.nodes().words()[word] |= slots;
    countAlike(number, verdict, word, slots);
  }

  /**
   * Records the same rejection for several nodes: neighbors often share a verdict, which is looked
   * up once.
   */
  private void rejectAll(int word, long slots, int number) {
    NodeFilter filter = filters.get(number);
    if (slots == -1L) {
      int verdict = filter.verdictAt(word << 6);
      if (filter.isVerdictOnAll(word, verdict)) {
        first.fill(word << 6, (word + 1) << 6, rejection(number, verdict));
        countAlike(number, verdict, word, slots);
        return;
      }
    }
    for (long left = slots; left != 0; ) {
      int verdict = filter.verdictAt((word << 6) + Long.numberOfTrailingZeros(left));
      int rejection = rejection(number, verdict);
      long alike = 0;
      for (long bits = left; bits != 0; bits &= bits - 1) {
        int slot = (word << 6) + Long.numberOfTrailingZeros(bits);
        if (filter.verdictAt(slot) == verdict) {
          first.set(slot, rejection);
          alike |= bits & -bits;
        }
      }
      countAlike(number, verdict, word, alike);
      left &= ~alike;
    }
  }

  /** Counts the nodes of a word that a filter is the first to reject with the same verdict. */
  private void countAlike(int number, int verdict, int word, long slots) {
    count(number, verdict, Long.bitCount(slots));
    if (filters.get(number).verdict(verdict).mayBeCuredByEviction()) {
      curable.words()[word] |= slots;
    }
  }

  private void reject(int slot, int filter, int verdict) {
    GateRejections behind = gated[filter];
    if (behind != null && behind.gate().closedNodes().contains(slot)) {
      rejectByGate(filter, behind, slot >>> 6, 1L << slot);
      return;
    }
    first.set(slot, rejection(filter, verdict));
    count(filter, verdict, 1);
    if (filters.get(filter).verdict(verdict).mayBeCuredByEviction()) {
      curable.add(slot);
    }
  }

  /** Returns the number of a rejection: small ones, because there is one for each node. */
  private int rejection(int filter, int verdict) {
    int[] ofFilter = numbers[filter];
    if (verdict >= ofFilter.length) {
      ofFilter = Arrays.copyOf(ofFilter, verdict * 2);
      numbers[filter] = ofFilter;
    }
    if (ofFilter[verdict] == 0) {
      if (2 * rejections + 1 >= numbered.length) {
        numbered = Arrays.copyOf(numbered, 2 * numbered.length);
      }
      numbered[2 * rejections] = filter;
      numbered[2 * rejections + 1] = verdict;
      ofFilter[verdict] = rejections++;
    }
    return ofFilter[verdict];
  }

  private void count(int filter, int verdict, int more) {
    int[] ofFilter = counts[filter];
    if (verdict >= ofFilter.length) {
      ofFilter = Arrays.copyOf(ofFilter, verdict * 2);
      counts[filter] = ofFilter;
    }
    ofFilter[verdict] += more;
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
    long bytes = 300 + first.bytes() + sets * feasible.bytes() + 4L * numbered.length;
    state.answers().charge(bytes - chargedBytes);
    chargedBytes = bytes;
  }

  /** Releases the filters when the plan is dropped. */
  void release() {
    state.answers().charge(-chargedBytes);
    chargedBytes = 0;
  }
}
