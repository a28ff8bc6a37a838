package io.berth.engine.preemption;

import io.berth.engine.framework.DomainGate;
import io.berth.engine.framework.DryRunHints;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.StableRanges;
import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.PodEntry;
import io.berth.engine.time.Due;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The cached results of dry runs for one kind of preemptor, by node, until the node changes.
 *
 * <p>A result holds while the outside counts stay within its {@link StableRanges}.
 */
final class DryRunCache {
  private static final NodeSet NO_NODES = new NodeSet();

  /** The number of outside counts above which ranges use more memory than dry runs are worth. */
  private static final int MAX_OUTSIDE_COUNTS = 64;

  private final ClusterState state;
  private final NodeTable nodes;
  private final Nominations nominations;
  private final NodeFilter[] filters;

  /** The filters with outside counts; a filter may get its first ones when other pods appear. */
  private NodeFilter[] counting = {};

  /** The index of the first outside count of each filter, followed by the end index. */
  private int[] firstCount = {0};

  private DryRunResults results = new DryRunResults(0);
  private long seenCountsVersion = -1;
  private boolean countsMoved;
  private long seenCapacity;
  private long seenLabels;
  private long seenTaints;
  private long seenNominations;
  private long seenBudgets;
  private long seenClasses;
  private boolean remembers = true;
  private long victims;

  /** The nodes whose results depend on groups, with the versions of those. */
  private final Map<Integer, Map<GroupEntry, Long>> groupsOf = new HashMap<>();

  private long chargedBytes;
  private long seenBeyond;

  /** The nodes in order of rank; created on demand. */
  private @Nullable NodesByRank byRank;

  /**
   * @param filters the filters of the dry runs
   */
  DryRunCache(ClusterState state, Nominations nominations, List<NodeFilter> filters) {
    this.state = state;
    this.filters = filters.toArray(NodeFilter[]::new);
    this.nodes = state.nodes();
    this.nominations = nominations;
    this.seenCapacity = nodes.capacityLog().head();
    this.seenLabels = nodes.labelLog().head();
    this.seenTaints = nodes.taintLog().head();
    this.seenNominations = nominations.version();
    this.seenBudgets = state.budgets().version();
    this.seenClasses = state.priorityClasses().version();
  }

  /** Drops the results that may have changed. */
  void refresh() {
    refreshCounts();
    grow();
    seenCapacity = nodes.capacityLog().visit(seenCapacity, this::forget);
    seenLabels = nodes.labelLog().visit(seenLabels, this::forget);
    seenTaints = nodes.taintLog().visit(seenTaints, this::forget);
    long beyond = 0;
    for (NodeFilter filter : filters) {
      beyond += filter.otherInputsVersion();
    }
    boolean all =
        seenBeyond != beyond
            || seenBudgets != state.budgets().version()
            || seenClasses != state.priorityClasses().version()
            || !nominations.forEachChangeSince(
                seenNominations, nodeName -> forget(nodes.slotOf(nodeName)));
    seenBeyond = beyond;
    seenBudgets = state.budgets().version();
    seenClasses = state.priorityClasses().version();
    seenNominations = nominations.version();
    if (all) {
      Arrays.fill(results.known, false);
      Arrays.fill(results.candidates, null);
      if (byRank != null) {
        byRank.forgetAll();
      }
      victims = 0;
    }
  }

  private void refreshCounts() {
    long version = 0;
    for (NodeFilter filter : filters) {
      filter.refreshInputs();
      version += filter.dryRunHints().outsideCountsVersion();
    }
    countsMoved = false;
    if (version == seenCountsVersion) {
      return;
    }
    seenCountsVersion = version;
    counting =
        Arrays.stream(filters)
            .filter(filter -> filter.dryRunHints().outsideCounts() > 0)
            .toArray(NodeFilter[]::new);
    firstCount = new int[counting.length + 1];
    for (int i = 0; i < counting.length; i++) {
      firstCount[i + 1] = firstCount[i] + counting[i].dryRunHints().outsideCounts();
    }
    int total = firstCount[counting.length];
    remembers = total <= MAX_OUTSIDE_COUNTS;
    victims = 0;
    if (byRank != null) {
      byRank.forgetAll();
    }
    results = new DryRunResults(remembers ? total : 0);
  }

  private void grow() {
    if (results.known.length < nodes.slots()) {
      results.grow(nodes.roomForSlots());
    }
  }

  private void forget(int slot) {
    if (slot >= 0 && slot < results.known.length) {
      results.known[slot] = false;
      put(slot, null);
    }
    if (byRank != null && slot >= 0) {
      byRank.forget(slot);
    }
  }

  /** Returns whether results depend on outside counts. */
  boolean countsOutside() {
    return counting.length > 0;
  }

  /** Returns whether a pod contributes to an outside count of its node. */
  boolean countsOutside(PodEntry pod) {
    for (NodeFilter filter : counting) {
      if (filter.dryRunHints().countsOutside(pod)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether any pod on the node contributes to an outside count; true if in doubt. */
  boolean countsOutsideOn(int slot) {
    for (NodeFilter filter : counting) {
      if (filter.dryRunHints().mayDependOnPodsOf(slot)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the gate of a filter that counts outside, if it rejects whole domains. */
  @Nullable DomainGate gate() {
    for (NodeFilter filter : counting) {
      Optional<DomainGate> gate = filter.gate().filter(DomainGate::isUsed);
      if (gate.isPresent()) {
        return gate.get();
      }
    }
    return null;
  }

  /** Adds the nodes that filters that count outside reject, other than those behind this gate. */
  void addRejected(@Nullable DomainGate gate, NodeSet nodes) {
    for (NodeFilter filter : counting) {
      boolean isGates = gate != null && filter.gate().equals(Optional.of(gate));
      nodes.addAll(filter.rejected(), isGates ? gate.closedNodes() : NO_NODES);
    }
  }

  /** Returns the nodes in order of rank, with capacity for all. */
  NodesByRank byRank() {
    NodesByRank order = byRank;
    if (order == null) {
      order = new NodesByRank();
      byRank = order;
    }
    order.grow(results.known.length);
    return order;
  }

  /** Returns whether the result for the node holds until the node changes. */
  boolean isLasting(int slot) {
    return until(slot).equals(Due.NEVER) && !groupsOf.containsKey(slot);
  }

  private void put(int slot, @Nullable Candidate candidate) {
    Candidate before = results.candidates[slot];
    victims += victimsOf(candidate) - victimsOf(before);
    results.candidates[slot] = candidate;
  }

  private static int victimsOf(@Nullable Candidate candidate) {
    return candidate == null ? 0 : 1 + candidate.victims().size();
  }

  /** Updates the charge to the current memory of the results. */
  void charge() {
    long bytes =
        400L
            + 130L * victims
            + 150L * groupsOf.size()
            + (byRank == null ? 0 : byRank.bytes())
            + (13L + 8L * results.least.length) * results.known.length;
    state.answers().chargeDryRuns(bytes - chargedBytes);
    chargedBytes = bytes;
  }

  /** Drops the cached results and their charge. */
  void release() {
    state.answers().chargeDryRuns(-chargedBytes);
    chargedBytes = 0;
  }

  /** Returns whether results are cached; false if they depend on too many outside counts. */
  boolean remembers() {
    return remembers;
  }

  /** Records that a dry run was made since the outside counts were refreshed. */
  void triedOut() {
    countsMoved = true;
  }

  /** Returns whether there is a valid result for the node. */
  boolean knows(int slot, Instant now) {
    if (!remembers) {
      return false;
    }
    return !groupsChanged(slot)
        && results.known[slot]
        && !results.until[slot].isReached(now)
        && areInRange(slot);
  }

  private boolean groupsChanged(int slot) {
    Map<GroupEntry, Long> groups = groupsOf.isEmpty() ? null : groupsOf.get(slot);
    if (groups != null) {
      for (Map.Entry<GroupEntry, Long> group : groups.entrySet()) {
        if (group.getKey().version() != group.getValue()) {
          forget(slot);
          groupsOf.remove(slot);
          return true;
        }
      }
    }
    return false;
  }

  private void restsOn(int slot, Set<GroupEntry> groups) {
    if (groups.isEmpty()) {
      groupsOf.remove(slot);
    } else {
      Map<GroupEntry, Long> versions = new HashMap<>();
      groups.forEach(group -> versions.put(group, group.version()));
      groupsOf.put(slot, versions);
    }
  }

  private boolean areInRange(int slot) {
    if (counting.length > 0 && countsMoved) {
      countsMoved = false;
      for (NodeFilter filter : counting) {
        filter.refreshInputs();
      }
    }
    for (int i = 0; i < counting.length; i++) {
      DryRunHints hints = counting[i].dryRunHints();
      for (int number = firstCount[i]; number < firstCount[i + 1]; number++) {
        long now = hints.outsideCount(number - firstCount[i], slot);
        if (now < results.least[number][slot] || now > results.greatest[number][slot]) {
          return false;
        }
      }
    }
    return true;
  }

  /** Stores a result, instead of an earlier one. */
  void remember(int slot, @Nullable Candidate candidate, DryRun dryRun) {
    if (!remembers) {
      return;
    }
    restsOn(slot, dryRun.groups());
    StableRanges ranges = dryRun.ranges();
    results.known[slot] = true;
    put(slot, candidate);
    results.refusals[slot] = dryRun.refusal();
    results.until[slot] = dryRun.until();
    for (int number = 0; number < results.least.length; number++) {
      // A bound outside the int range is no restriction, because the counts are within it.
      results.least[number][slot] = clamp(ranges.least(number));
      results.greatest[number][slot] = clamp(ranges.greatest(number));
    }
  }

  private static int clamp(long bound) {
    return Math.clamp(bound, Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  /**
   * Returns the candidate on this node, as last computed or cached; null if the node is not a
   * candidate.
   */
  @Nullable Candidate candidate(int slot) {
    return results.candidates[slot];
  }

  /** Returns the reason for which the node is not a candidate; null if the pod would fit there. */
  DryRun.@Nullable Refusal refusal(int slot) {
    return results.refusals[slot];
  }

  /** Returns the time until which the result for the node holds, if nothing else changes. */
  Due until(int slot) {
    return results.until[slot];
  }
}
