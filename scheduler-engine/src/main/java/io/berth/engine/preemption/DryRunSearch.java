package io.berth.engine.preemption;

import io.berth.engine.framework.EvictionLimits;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.Verdict;
import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.Timers;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The search for the best node to evict pods on, for one preemptor. */
final class DryRunSearch {
  /** The result of a dry run, current or cached. */
  private record Finding(
      @Nullable Candidate candidate, DryRun.@Nullable Refusal refusal, Instant until) {}

  private final ClusterState state;
  private final Nominations nominations;
  private final RecentEvictions recent;
  private final RunsByKind remembered;
  private final DryRuns.Question question;
  private final List<NodeFilter> settling;
  private final boolean settlingReadPods;
  private final int own;

  /** Without the filters that may be settled: shared by preemptors that differ only in those. */
  private final RememberedRuns shared;

  private final DryRun part;

  /**
   * With all filters, for nodes on which a filter that may be settled is not; created on demand.
   */
  private @Nullable RememberedRuns complete;

  /** The candidates whose victims must not be evicted now because of the policy's limits. */
  private final NodeSet heldBack = new NodeSet();

  private Instant retryAt = Instant.MAX;

  private final DryRun whole;
  private long count;

  DryRunSearch(
      ClusterState state,
      Nominations nominations,
      RefusedEvictions refused,
      RecentEvictions recent,
      RunsByKind remembered,
      DryRuns.Question question) {
    this.state = state;
    this.nominations = nominations;
    this.recent = recent;
    this.remembered = remembered;
    this.question = question;
    List<NodeFilter> filters = question.filters();
    this.settling = filters.stream().filter(NodeFilter::maySettle).toList();
    this.settlingReadPods = settling.stream().anyMatch(NodeFilter::readsPods);
    List<NodeFilter> others =
        settling.isEmpty()
            ? filters
            : filters.stream().filter(filter -> !filter.maySettle()).toList();
    this.own =
        nominations.nodeOf(question.preemptor().ref().uid()).map(state.nodes()::slotOf).orElse(-1);
    this.heldBack.grow(state.nodes().slots());
    this.shared = remembered.of(question, others);
    this.whole = new DryRun(state, nominations, refused, question, filters);
    this.part =
        settling.isEmpty() ? whole : new DryRun(state, nominations, refused, question, others);
  }

  /** Returns the number of dry runs so far. */
  long count() {
    return count;
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
            : new DryRuns.Outcome(best, candidates, Map.of(), Instant.MAX);
    remembered.charge(shared);
    if (complete != null) {
      remembered.charge(complete);
    }
    return outcome;
  }

  /**
   * Returns whether the nodes can be tried in order of rank: only if the result for a node is the
   * same for all preemptors of the kind, and holds until the node changes.
   */
  boolean canRank() {
    return shared.canRank() && !settlingReadPods && !question.rules().limits().isLimited();
  }

  /**
   * Does the same as {@link #run}, starting with the best node. It ends when no other node can be
   * better, so that most nodes are never examined.
   */
  DryRuns.Outcome runInOrder(NodeSet potential) {
    NodesByRank order = shared.byRank();
    order.follow(potential, this::rankAtBest);
    List<Integer> aside = new ArrayList<>();
    Candidate best = null;
    int slot = order.first();
    while (slot >= 0 && (best == null || isBefore(order.rank(slot), slot, best))) {
      boolean counts = slot != own && settledAgainst(slot) == null;
      Candidate found = counts ? candidate(slot) : null;
      if (counts && shared.isLasting(slot) && !order.isExact(slot)) {
        order.put(slot, found == null ? null : found.rank());
      } else {
        best = best(best, found);
        order.setAside(slot);
        aside.add(slot);
      }
      slot = order.first();
    }
    aside.forEach(order::putBack);
    if (own >= 0 && potential.contains(own) && settledAgainst(own) == null) {
      best = best(best, tryOut(whole, own));
    }
    if (best == null) {
      return run(potential, false);
    }
    remembered.charge(shared);
    return new DryRuns.Outcome(best, List.of(), Map.of(), Instant.MAX);
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

  /** Returns the best rank that the node may have for any preemptor of the kind. */
  private @Nullable Rank rankAtBest(int slot) {
    int priority = question.preemptor().priority();
    List<PodEntry> lower = new ArrayList<>();
    for (int i = 0; i < state.nodes().podCount(slot); i++) {
      PodEntry pod = state.nodes().pod(slot, i);
      if (pod.priority() < priority) {
        lower.add(pod);
      }
    }
    if (lower.isEmpty()) {
      return null;
    }
    int fewest = 1;
    for (NodeFilter filter : question.filters()) {
      if (!filter.maySettle()) {
        fewest = Math.max(fewest, filter.fewestToLeave(slot, lower));
      }
    }
    return Rank.atBest(lower, fewest);
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
    Instant allowedAt = recent.allowedAt(candidate.toEvict(), limits, question.now());
    if (!allowedAt.isAfter(question.now())) {
      return false;
    }
    retryBy(allowedAt);
    heldBack.add(candidate.slot());
    return true;
  }

  private void retryBy(Instant time) {
    retryAt = Timers.earlier(time, retryAt);
  }

  private @Nullable Candidate candidate(int slot) {
    if (slot == own) {
      // A pod is not blocked by its own nomination: this result is not valid for other pods.
      return tryOut(whole, slot);
    }
    boolean settled = isSettled(slot);
    RememberedRuns runs = settled ? shared : complete();
    return runs.knows(slot, question.now())
        ? runs.candidate(slot)
        : recall(runs, settled ? part : whole, slot).candidate();
  }

  private RememberedRuns complete() {
    RememberedRuns runs = complete;
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
      if (!filter.isSettled(slot)) {
        return false;
      }
    }
    return !settlingReadPods || nominations.podsOn(state.nodes().name(slot)).isEmpty();
  }

  /** Returns the first filter that rejects the node regardless of its pods. */
  private @Nullable NodeFilter settledAgainst(int slot) {
    for (NodeFilter filter : settling) {
      if (filter.verdictAt(slot) != NodeFilter.PASSES && filter.isSettled(slot)) {
        return filter;
      }
    }
    return null;
  }

  private Finding recall(RememberedRuns runs, DryRun dryRun, int slot) {
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
    return dryRun.on(slot);
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
    if (slot == own) {
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
