package io.berth.engine.preemption;

import io.berth.engine.framework.DomainGate;
import io.berth.engine.framework.DryRunHints;
import io.berth.engine.framework.EvictionLimits;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.Verdict;
import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.PodEntry;
import io.berth.engine.time.Due;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The search for the best node to evict pods on, for one preemptor. */
final class DryRunSearch {
  /** The result of a dry run, current or cached. */
  private record Finding(
      @Nullable Candidate candidate, DryRun.@Nullable Refusal refusal, Due until) {}

  private final ClusterState state;
  private final Nominations nominations;
  private final RecentEvictions recent;
  private final DryRunCaches remembered;
  private final DryRuns.Question question;
  private final List<NodeFilter> settling;
  private final boolean settlingReadPods;

  /**
   * The nodes on which results hold for no other pod: the one that the preemptor is nominated for,
   * because its own nomination is no obstacle, and those with pods that start only after it has
   * left.
   */
  private final NodeSet own;

  /** Without the filters that may be settled: shared by preemptors that differ only in those. */
  private final DryRunCache shared;

  private final DryRun part;

  /**
   * With all filters, for nodes on which a filter that may be settled is not; created on demand.
   */
  private @Nullable DryRunCache complete;

  /** The candidates whose victims must not be evicted now because of the policy's limits. */
  private final NodeSet heldBack = new NodeSet();

  private Due retryAt = Due.NEVER;

  private final DryRun whole;
  private long count;
  private long examined;

  /**
   * @param calculates see {@link DryRun}
   */
  DryRunSearch(
      ClusterState state,
      Nominations nominations,
      RefusedEvictions refused,
      RecentEvictions recent,
      DryRunCaches remembered,
      DryRuns.Question question,
      boolean calculates) {
    this.state = state;
    this.nominations = nominations;
    this.recent = recent;
    this.remembered = remembered;
    this.question = question;
    List<NodeFilter> filters = question.filters();
    this.settling = filters.stream().filter(filter -> filter.dryRunHints().maySettle()).toList();
    this.settlingReadPods = settling.stream().anyMatch(NodeFilter::readsPods);
    List<NodeFilter> others =
        settling.isEmpty()
            ? filters
            : filters.stream().filter(filter -> !filter.dryRunHints().maySettle()).toList();
    this.own = own(question.preemptor());
    this.shared = remembered.of(question, others);
    this.whole = new DryRun(state, nominations, refused, question, filters, calculates);
    this.part =
        settling.isEmpty()
            ? whole
            : new DryRun(state, nominations, refused, question, others, calculates);
  }

  private NodeSet own(PodEntry preemptor) {
    NodeSet slots = new NodeSet();
    nominations.nodeOf(preemptor.ref().uid()).ifPresent(node -> addNode(slots, node));
    if (preemptor.model().runTime().expected().isPresent()) {
      nominations.nodesOfLaterStarts().forEach(node -> addNode(slots, node));
    }
    return slots;
  }

  private void addNode(NodeSet slots, String nodeName) {
    int slot = state.nodes().slotOf(nodeName);
    if (slot >= 0) {
      slots.grow(state.nodes().slots());
      slots.add(slot);
    }
  }

  /** Returns the number of dry runs so far. */
  long count() {
    return count;
  }

  /** Returns the number of nodes so far whose result was looked up or computed. */
  long examined() {
    return examined;
  }

  /**
   * Examines the nodes one after the other.
   *
   * @param keepCandidates whether all candidates are requested, not only the best one
   */
  DryRuns.Outcome run(NodeSet potential, boolean keepCandidates) {
    List<Candidate> candidates = new ArrayList<>();
    NodeSet rejected = new NodeSet(state.nodes().slots());
    Candidate best = null;
    for (int slot = potential.next(0); slot >= 0; slot = potential.next(slot + 1)) {
      examined++;
      Candidate candidate = settledAgainst(slot) == null ? candidate(slot) : null;
      if (candidate == null || isHeldBack(candidate) || !fitsWithoutAll(candidate)) {
        rejected.add(slot);
        continue;
      }
      if (keepCandidates) {
        candidates.add(candidate);
      }
      if (best == null || candidate.isBetterThan(best)) {
        best = candidate;
      }
    }
    DryRuns.Outcome outcome =
        best == null
            ? new DryRuns.Outcome(null, candidates, refusals(rejected), retryAt)
            : new DryRuns.Outcome(best, candidates, Map.of(), Due.NEVER);
    charge();
    return outcome;
  }

  /**
   * Returns whether the nodes can be tried in order of rank: not if limits of evictions exclude
   * candidates, or if there are too many outside counts.
   */
  boolean canRank() {
    return shared.remembers() && !question.rules().limits().isLimited();
  }

  /**
   * Does the same as {@link #run}, starting with the best node. It ends when no other node can be
   * better, so that most nodes are never examined.
   *
   * <p>The order contains the nodes on which a result holds until the node changes. A node that a
   * filter rejects because of pods outside it is left out, and returns with the same result. A node
   * on which such a verdict may change with its own pods is tried alone.
   */
  DryRuns.Outcome runInOrder(NodeSet potential) {
    NodesByRank order = shared.byRank();
    NodeSet alone = withUnstableVerdicts(potential);
    DomainGate gate = shared.gate();
    NodeSet leftOut = new NodeSet(state.nodes().slots());
    leftOut.addAll(alone);
    settling.forEach(filter -> leftOut.addAll(filter.rejected()));
    shared.addRejected(gate, leftOut);
    leftOut.addAll(own);
    UntriedNodes bounds = new UntriedNodes(state, question, shared);
    order.follow(potential, leftOut, gate, bounds);
    Candidate best = bestInOrder(order, bounds);
    alone.addAll(order.alone());
    alone.retainAll(potential);
    for (int slot = alone.next(0); slot >= 0; slot = alone.next(slot + 1)) {
      if (!own.contains(slot)
          && mayBeBetter(slot, order, bounds, best)
          && settledAgainst(slot) == null) {
        examined++;
        best = best(best, candidate(slot));
      }
    }
    for (int slot = own.next(0); slot >= 0; slot = own.next(slot + 1)) {
      if (potential.contains(slot) && settledAgainst(slot) == null) {
        best = best(best, candidate(slot));
      }
    }
    if (best == null) {
      return run(potential, false);
    }
    charge();
    return new DryRuns.Outcome(best, List.of(), Map.of(), Due.NEVER);
  }

  /**
   * Returns the nodes on which verdicts may change with pods that leave the node, or that are
   * nominated for it.
   */
  private NodeSet withUnstableVerdicts(NodeSet potential) {
    NodeSet unstable = new NodeSet(state.nodes().slots());
    for (NodeFilter filter : settling) {
      DryRunHints hints = filter.dryRunHints();
      hints
          .mayBeUnsettled()
          .forEach(
              slot -> {
                if (potential.contains(slot) && !hints.isSettled(slot)) {
                  unstable.add(slot);
                }
              });
    }
    if (settlingReadPods || shared.countsOutside()) {
      for (String nodeName : nominations.nodes()) {
        int slot = state.nodes().slotOf(nodeName);
        if (slot >= 0 && potential.contains(slot)) {
          unstable.add(slot);
        }
      }
    }
    return unstable;
  }

  private @Nullable Candidate bestInOrder(NodesByRank order, NodesByRank.Bounds bounds) {
    List<Integer> aside = new ArrayList<>();
    Candidate best = null;
    try {
      int slot = order.first();
      while (slot >= 0 && (best == null || isBefore(order.rank(slot), slot, best))) {
        if (order.refine(slot, bounds)) {
          slot = order.first();
          continue;
        }
        examined++;
        Candidate found = candidate(slot);
        if (shared.isLasting(slot) && !order.isExact(slot)) {
          order.put(slot, found == null ? null : found.rank());
        } else {
          best = best(best, found);
          order.setAside(slot);
          aside.add(slot);
        }
        slot = order.first();
      }
      return best;
    } finally {
      aside.forEach(order::putBack); // also if a dry run fails: the order is used again
    }
  }

  /** Returns whether a node that is tried alone may be better than the best candidate. */
  private boolean mayBeBetter(
      int slot, NodesByRank order, NodesByRank.Bounds bounds, @Nullable Candidate best) {
    // The result of an earlier dry run does not hold while the node is tried alone.
    return order.isExact(slot)
        || (mayBeBetter(slot, order, best)
            && (!order.refine(slot, bounds) || mayBeBetter(slot, order, best)));
  }

  private static boolean mayBeBetter(int slot, NodesByRank order, @Nullable Candidate best) {
    return order.mayHelp(slot) && (best == null || isBefore(order.rank(slot), slot, best));
  }

  private void charge() {
    remembered.charge(shared);
    if (complete != null) {
      remembered.charge(complete);
    }
  }

  private @Nullable Candidate best(@Nullable Candidate one, @Nullable Candidate other) {
    if (other == null || !fitsWithoutAll(other)) {
      return one;
    }
    return one == null || isBefore(other.rank(), other.slot(), one) ? other : one;
  }

  /** Returns whether a node of this rank is better than the candidate; of equal ones the first. */
  private static boolean isBefore(Rank rank, int slot, Candidate candidate) {
    return rank.isBetterThan(candidate.rank())
        || (slot < candidate.slot() && !candidate.rank().isBetterThan(rank));
  }

  /**
   * Returns whether the pod still fits without its victims on other nodes, because it may have
   * affinity to them.
   */
  private boolean fitsWithoutAll(Candidate candidate) {
    return !candidate.reachesOthers() || whole.fitsWithoutAll(candidate);
  }

  /** Returns whether the policy's limits forbid these evictions now. */
  private boolean isHeldBack(Candidate candidate) {
    EvictionLimits limits = question.rules().limits();
    if (!limits.isLimited()) {
      return false;
    }
    Due allowedAt = recent.allowedAt(candidate.toEvict(), question.rules(), question.now());
    if (allowedAt.isReached(question.now())) {
      return false;
    }
    retryBy(allowedAt);
    heldBack.grow(state.nodes().slots());
    heldBack.add(candidate.slot());
    return true;
  }

  private void retryBy(Due time) {
    retryAt = retryAt.orEarlier(time);
  }

  private @Nullable Candidate candidate(int slot) {
    if (own.contains(slot)) {
      return tryOut(whole, slot);
    }
    boolean settled = isSettled(slot);
    DryRunCache runs = settled ? shared : complete();
    return runs.knows(slot, question.now())
        ? runs.candidate(slot)
        : recall(runs, settled ? part : whole, slot).candidate();
  }

  private DryRunCache complete() {
    DryRunCache runs = complete;
    if (runs == null) {
      runs = remembered.of(question, question.filters());
      complete = runs;
    }
    return runs;
  }

  /**
   * Returns whether the verdicts of the filters that may be settled do not depend on the pods of
   * the node.
   */
  private boolean isSettled(int slot) {
    for (NodeFilter filter : settling) {
      if (!filter.dryRunHints().isSettled(slot)) {
        return false;
      }
    }
    return !settlingReadPods || nominations.podsOn(state.nodes().name(slot)).isEmpty();
  }

  /** Returns the first filter that rejects the node regardless of its pods. */
  private @Nullable NodeFilter settledAgainst(int slot) {
    for (NodeFilter filter : settling) {
      if (filter.verdictAt(slot) != NodeFilter.PASSES && filter.dryRunHints().isSettled(slot)) {
        return filter;
      }
    }
    return null;
  }

  private Finding recall(DryRunCache runs, DryRun dryRun, int slot) {
    if (runs.knows(slot, question.now())) {
      return new Finding(runs.candidate(slot), runs.refusal(slot), runs.until(slot));
    }
    Candidate found = tryOut(dryRun, slot);
    runs.remember(slot, found, dryRun);
    return new Finding(found, dryRun.refusal(), dryRun.until());
  }

  private @Nullable Candidate tryOut(DryRun dryRun, int slot) {
    count++;
    shared.triedOut();
    if (complete != null) {
      complete.triedOut();
    }
    Candidate found = dryRun.on(slot);
    if (settlingReadPods) {
      // Filters have read the state without the victims, and would call the node settled.
      settling.forEach(NodeFilter::refreshInputs);
    }
    return found;
  }

  /**
   * Returns the number of nodes by verdict. Neighboring nodes often have the same verdict, and are
   * counted together.
   */
  private Map<Verdict, Integer> refusals(NodeSet slots) {
    Map<Verdict, Integer> refusals = new HashMap<>();
    Verdict alike = DryRun.NO_VICTIMS;
    int count = 0;
    for (int slot = slots.next(0); slot >= 0; slot = slots.next(slot + 1)) {
      Verdict verdict = heldBack.contains(slot) ? limited() : refusal(slot);
      if (count > 0 && !verdict.equals(alike)) {
        refusals.merge(alike, count, Integer::sum);
        count = 0;
      }
      alike = verdict;
      count++;
    }
    if (count > 0) {
      refusals.merge(alike, count, Integer::sum);
    }
    return refusals;
  }

  private Verdict limited() {
    EvictionLimits limits = question.rules().limits();
    List<String> parts = new ArrayList<>();
    if (limits.perMinute() != EvictionLimits.NO_LIMIT) {
      parts.add(limits.perMinute() + " a minute");
    }
    if (limits.perMinutePerNamespace() != EvictionLimits.NO_LIMIT) {
      parts.add(limits.perMinutePerNamespace() + " a minute in a namespace");
    }
    return Verdict.unresolvable("Evictions are limited to " + String.join(" and ", parts));
  }

  /**
   * Returns the verdict of the first filter that rejects the node without the victims. If a settled
   * filter rejects it, filters before it in the policy's order may reject it first.
   */
  private Verdict refusal(int slot) {
    NodeFilter settled = settledAgainst(slot);
    Finding finding;
    if (own.contains(slot)) {
      Candidate none = tryOut(whole, slot);
      finding = new Finding(none, whole.refusal(), whole.until());
      settled = null;
    } else if (settled != null || isSettled(slot)) {
      finding = recall(shared, part, slot);
    } else {
      finding = recall(complete(), whole, slot);
    }
    if (settled == null) {
      retryBy(finding.until());
    }
    DryRun.Refusal refusal = finding.refusal();
    if (settled == null || (refusal != null && refusal.by() == null)) {
      return refusal == null ? DryRun.NO_VICTIMS : refusal.verdict();
    }
    List<NodeFilter> order = question.filters();
    return refusal != null && order.indexOf(refusal.by()) < order.indexOf(settled)
        ? refusal.verdict()
        : settled.verdict(settled.verdictAt(slot));
  }
}
