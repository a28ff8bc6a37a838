package io.berth.engine.preemption;

import io.berth.engine.api.WaitCause;
import io.berth.engine.decision.BoundedText;
import io.berth.engine.decision.PreemptionCandidate;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.PreemptionRules;
import io.berth.engine.framework.Verdict;
import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.PodEntry;
import io.berth.engine.time.Due;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * kube-scheduler's default preemption: determines whether a pod may evict others, the victims on
 * each node, and the best node.
 *
 * <p>All nodes are considered. The victims on a node are cached by kind of preemptor, and computed
 * again only after a change of the node; see {@link DryRuns}.
 */
public final class Preemption {
  /**
   * The minimum number of nodes to offer, otherwise a tenth of all nodes: kube-scheduler's
   * defaults.
   */
  private static final int LEAST_OFFERED = 100;

  private static final String NOT_HELPFUL = "Preemption is not helpful for scheduling";

  /** The result of preemption. */
  public sealed interface Result {}

  /**
   * Victims were found.
   *
   * @param nodeName the selected node
   * @param victims the pods to evict, in descending order of importance, including those that are
   *     terminating already
   * @param candidates every node on which evictions would help, if requested
   */
  public record Chosen(
      String nodeName, List<PodEntry> victims, List<PreemptionCandidate> candidates)
      implements Result {
    /** Returns the victims to evict: those that are not terminating already. */
    public List<PodEntry> toEvict() {
      return Candidate.toEvict(victims);
    }
  }

  /**
   * Victims were found, and an advisor takes part in the choice of the node; nothing counts as
   * evicted yet.
   *
   * @param candidates the best candidates in descending order: as many as a tenth of the nodes, but
   *     at least 100
   */
  public record Offered(List<PreemptionCandidate> candidates) implements Result {
    public Offered {
      candidates = List.copyOf(candidates);
    }
  }

  /**
   * Preemption does not help.
   *
   * @param cause whether evictions are only delayed
   * @param message the reason, in kube-scheduler's wording
   * @param keepsNomination whether a previous nomination is kept
   * @param retryAt the time at which it may help even if nothing else changes; never if only events
   *     can help
   */
  public record Impossible(WaitCause cause, String message, boolean keepsNomination, Due retryAt)
      implements Result {}

  private final ClusterState state;
  private final Nominations nominations;
  private final AwaitedVictims awaited;
  private final RecentEvictions recent;
  private final RefusedEvictions refused;
  private final DryRuns dryRuns;

  /**
   * @param reservations the nominations and evictions of other attempts
   */
  public Preemption(ClusterState state, Reservations reservations) {
    this.state = state;
    this.nominations = reservations.nominations();
    this.awaited = reservations.awaited();
    this.recent = new RecentEvictions(state.journal());
    this.refused = reservations.refused();
    this.dryRuns = new DryRuns(state, nominations, reservations.refused(), recent);
  }

  /** Returns the preemption for groups, under the same limits. */
  public GroupPreemption forGroups() {
    return new GroupPreemption(state, nominations, refused, recent);
  }

  /** Returns the number of kinds of preemptors whose dry runs are cached. */
  public int cachedKinds() {
    return dryRuns.cachedKinds();
  }

  /** Forgets the evictions of the last minute, which the limits of policies count. */
  public void forgetEvictions() {
    recent.clear();
  }

  /**
   * Searches for victims for a pod that fits on no node. The chosen evictions count against the
   * limits of all policies from now on, unless the rules only report victims.
   *
   * @param rules the rules about which pods it may evict
   * @param filters the refreshed filters of the pod's policy and shape, in order
   * @param potential the nodes whose first rejection evictions may resolve
   * @param keepCandidates whether all candidates are returned, not just the chosen one
   */
  public Result tryFor(
      PodEntry preemptor,
      PreemptionRules rules,
      List<NodeFilter> filters,
      NodeSet potential,
      boolean keepCandidates,
      Instant now) {
    Optional<Impossible> ineligible = ineligible(preemptor, potential);
    if (ineligible.isPresent()) {
      return ineligible.get();
    }
    DryRuns.Question question = new DryRuns.Question(preemptor, rules, filters, now);
    DryRuns.Outcome outcome = dryRuns.run(question, potential, keepCandidates);
    Candidate best = outcome.best();
    return best == null
        ? impossible(potential, outcome, now)
        : chosen(best, outcome.candidates(), question);
  }

  /**
   * Searches for victims as {@link #tryFor} does, and offers the best nodes to an advisor, as many
   * as kube-scheduler searches for.
   */
  public Result offersFor(
      PodEntry preemptor,
      PreemptionRules rules,
      List<NodeFilter> filters,
      NodeSet potential,
      Instant now) {
    Optional<Impossible> ineligible = ineligible(preemptor, potential);
    if (ineligible.isPresent()) {
      return ineligible.get();
    }
    DryRuns.Outcome outcome =
        dryRuns.run(new DryRuns.Question(preemptor, rules, filters, now), potential, true);
    if (outcome.best() == null) {
      return impossible(potential, outcome, now);
    }
    return new Offered(
        outcome.candidates().stream()
            .sorted(Candidate.BEST_FIRST)
            .limit(Math.max(LEAST_OFFERED, potential.size() / 10))
            .map(this::offer)
            .toList());
  }

  /**
   * Returns the candidate for an advisor, with only the victims on the node itself; those that are
   * evicted with them are determined again later.
   */
  private PreemptionCandidate offer(Candidate candidate) {
    return new PreemptionCandidate(
        state.nodes().name(candidate.slot()),
        candidate.victims().stream()
            .filter(victim -> victim.slot() == candidate.slot())
            .map(PodEntry::ref)
            .toList(),
        candidate.violations());
  }

  /**
   * Selects among the offered nodes that an advisor returned. Victims that are not on the node any
   * more are ignored. Nodes are ignored if the rules forbid one of the victims, or if evictions on
   * them do not help any more.
   *
   * @param left the returned nodes, with the advisor's victims
   */
  public Result chooseAmong(
      List<PreemptionCandidate> left,
      PodEntry preemptor,
      PreemptionRules rules,
      List<NodeFilter> filters,
      NodeSet potential,
      boolean keepCandidates,
      Instant now) {
    Optional<Impossible> ineligible = ineligible(preemptor, potential);
    if (ineligible.isPresent()) {
      return ineligible.get();
    }
    DryRuns.Question question = new DryRuns.Question(preemptor, rules, filters, now);
    DryRuns.Outcome outcome = dryRuns.run(question, potential, true);
    if (outcome.best() == null) {
      return impossible(potential, outcome, now);
    }
    List<Candidate> candidates = dryRuns.among(question, outcome.candidates(), left);
    return candidates.stream()
        .min(Candidate.BEST_FIRST)
        .<Result>map(best -> chosen(best, keepCandidates ? candidates : List.of(), question))
        .orElseGet(
            () ->
                new Impossible(
                    WaitCause.NO_ROOM,
                    "preemption: no candidate node for preemption.",
                    true,
                    Due.NEVER));
  }

  private Impossible impossible(NodeSet potential, DryRuns.Outcome outcome, Instant now) {
    return new Impossible(
        RecentEvictions.causeOfWaitUntil(outcome.retryAt(), now),
        "preemption: " + message(potential, outcome.refusals()),
        false,
        outcome.retryAt());
  }

  private Chosen chosen(Candidate best, List<Candidate> all, DryRuns.Question question) {
    if (!question.rules().isDryRun()) {
      recent.add(best.toEvict(), question.now());
    }
    return new Chosen(
        state.nodes().name(best.slot()), best.victims(), all.stream().map(this::describe).toList());
  }

  private Optional<Impossible> ineligible(PodEntry preemptor, NodeSet potential) {
    return ineligibility(preemptor, potential)
        .map(
            why ->
                new Impossible(
                    WaitCause.NO_ROOM,
                    "preemption: " + why,
                    !preemptor.spec().neverPreempts(), // such a pod makes no room: it only had some
                    Due.NEVER));
  }

  /** Returns the reason why the pod may not evict others now; empty if it may. */
  private Optional<String> ineligibility(PodEntry preemptor, NodeSet potential) {
    if (preemptor.spec().neverPreempts()) {
      return Optional.of("not eligible due to preemptionPolicy=Never.");
    }
    String nominated = nominations.nodeOf(preemptor.ref().uid()).orElse("");
    int slot = nominated.isEmpty() ? -1 : state.nodes().slotOf(nominated);
    // A nomination for a node on which no eviction helps is dropped.
    if (slot >= 0 && potential.contains(slot) && waitsOn(slot, preemptor)) {
      return Optional.of("not eligible due to a terminating pod on the nominated node.");
    }
    if (slot >= 0 && potential.contains(slot) && waitsForDevicesOn(slot, preemptor)) {
      return Optional.of("not eligible due to devices of deleted pods on the nominated node.");
    }
    return Optional.empty();
  }

  /** Returns whether devices are about to be released for the preemptor: it evicts no more. */
  private boolean waitsForDevicesOn(int slot, PodEntry preemptor) {
    return !preemptor.spec().devices().isEmpty()
        && state
            .devices()
            .areAwaitedOn(state.nodes().model(slot), uid -> state.pods().byUid(uid) != null);
  }

  private boolean waitsOn(int slot, PodEntry preemptor) {
    if (awaited.isWaiting(preemptor.ref().uid())) {
      return true;
    }
    for (int i = 0; i < state.nodes().podCount(slot); i++) {
      PodEntry pod = state.nodes().pod(slot, i);
      if (pod.model().preempted() && state.evictionOrder().mayHaveDisplaced(pod, preemptor)) {
        return true;
      }
    }
    return false;
  }

  private PreemptionCandidate describe(Candidate candidate) {
    return new PreemptionCandidate(
        state.nodes().name(candidate.slot()),
        candidate.victims().stream().map(PodEntry::ref).toList(),
        candidate.violations());
  }

  /**
   * Returns kube-scheduler's message that preemption does not help, with the reasons in
   * alphabetical order.
   */
  private String message(NodeSet potential, Map<Verdict, Integer> refusals) {
    int total = state.census().all();
    int unhelpful = total - potential.size();
    TreeMap<String, Integer> counts = new TreeMap<>();
    refusals.forEach(
        (verdict, nodes) ->
            verdict.reasons().forEach(reason -> counts.merge(reason, nodes, Integer::sum)));
    if (unhelpful > 0) {
      counts.merge(NOT_HELPFUL, unhelpful, Integer::sum);
    }
    List<String> parts = new ArrayList<>();
    counts.forEach((reason, nodes) -> parts.add(nodes + " " + reason));
    parts.sort(null);
    return "0/" + total + " nodes are available: " + BoundedText.list(parts) + ".";
  }

  /**
   * Returns the number of nodes in dry runs so far, which tests compare with the number of changes.
   */
  public long dryRuns() {
    return dryRuns.count();
  }

  /**
   * Returns the number of nodes so far whose result was looked up or computed, which tests compare
   * with the number of nodes.
   */
  public long examined() {
    return dryRuns.examined();
  }
}
