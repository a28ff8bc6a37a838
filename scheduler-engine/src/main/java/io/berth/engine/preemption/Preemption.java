package io.berth.engine.preemption;

import io.berth.engine.BoundedText;
import io.berth.engine.decision.PreemptionCandidate;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.PreemptionRules;
import io.berth.engine.framework.Verdict;
import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.PodEntry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * kube-scheduler's default preemption: whether a pod may evict others, what that would take on each
 * node, and which node takes least.
 *
 * <p>Every node is looked at. What a node would take is remembered per kind of preemptor, and
 * worked out again only when something on the node has changed; see {@link DryRuns}.
 */
public final class Preemption {
  /** A tenth of the nodes is offered, but at least so many: kube-scheduler's defaults. */
  private static final int LEAST_OFFERED = 100;

  private static final String NOT_HELPFUL = "Preemption is not helpful for scheduling";

  /** An answer. */
  public sealed interface Result {}

  /**
   * Room can be made.
   *
   * @param nodeName where
   * @param victims the pods to evict, the most important first; those that are terminating already
   *     among them
   * @param candidates every node on which room could be made, if they were asked for
   */
  public record Chosen(
      String nodeName, List<PodEntry> victims, List<PreemptionCandidate> candidates)
      implements Result {
    /** The victims to evict: those that are not terminating already. */
    public List<PodEntry> toEvict() {
      return Candidate.toEvict(victims);
    }
  }

  /**
   * Room can be made, and somebody else has a say in where; nothing counts as evicted yet.
   *
   * @param candidates the best first: a tenth of the nodes, but at least 100
   */
  public record Offered(List<PreemptionCandidate> candidates) implements Result {
    public Offered {
      candidates = List.copyOf(candidates);
    }
  }

  /**
   * No room can be made.
   *
   * @param message why, in kube-scheduler's words
   * @param keepsNomination whether room that was promised before stays promised
   * @param retryAt when there may be room though nothing but the time changes; {@link Instant#MAX}
   *     where events alone can help
   */
  public record Impossible(String message, boolean keepsNomination, Instant retryAt)
      implements Result {}

  private final ClusterState state;
  private final Nominations nominations;
  private final AwaitedVictims awaited;
  private final RecentEvictions recent;
  private final RefusedEvictions refused;
  private final DryRuns dryRuns;

  /**
   * @param promises what other attempts have promised and evicted
   */
  public Preemption(ClusterState state, Promises promises) {
    this.state = state;
    this.nominations = promises.nominations();
    this.awaited = promises.awaited();
    this.recent = new RecentEvictions(state.journal());
    this.refused = promises.refused();
    this.dryRuns = new DryRuns(state, nominations, promises.refused(), recent);
  }

  /** Returns the preemption for groups, under the same limits. */
  public GroupPreemption forGroups() {
    return new GroupPreemption(state, nominations, refused, recent);
  }

  /**
   * Looks for room for a pod that fits on no node. The evictions that are chosen count against the
   * limits of all policies from now on, unless the rules only name victims.
   *
   * @param rules whom it may evict
   * @param filters those of the pod's policy and shape, in their order, up to date
   * @param potential the nodes whose first rejection evicting pods may cure
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
        ? impossible(potential, outcome)
        : chosen(best, outcome.candidates(), question);
  }

  /**
   * Looks for room as {@link #tryFor} does, for an advisor to choose where. The best nodes are
   * offered: as many as kube-scheduler looks for.
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
      return impossible(potential, outcome);
    }
    return new Offered(
        outcome.candidates().stream()
            .sorted(Candidate.BEST_FIRST)
            .limit(Math.max(LEAST_OFFERED, potential.size() / 10))
            .map(this::offer)
            .toList());
  }

  /** Advisors know the victims on the node alone; those that go with them are found again. */
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
   * Chooses among the nodes that an advisor left of those that were offered. Victims that are not
   * on the node any more are left out, and so are nodes on which the rules do not allow one of
   * them, or where no room could be made by now.
   *
   * @param left the nodes, with the victims that the advisor wants
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
      return impossible(potential, outcome);
    }
    List<Candidate> candidates = dryRuns.among(question, outcome.candidates(), left);
    return candidates.stream()
        .min(Candidate.BEST_FIRST)
        .<Result>map(best -> chosen(best, keepCandidates ? candidates : List.of(), question))
        .orElseGet(
            () ->
                new Impossible("preemption: no candidate node for preemption.", true, Instant.MAX));
  }

  private Impossible impossible(NodeSet potential, DryRuns.Outcome outcome) {
    return new Impossible(
        "preemption: " + message(potential, outcome.refusals()), false, outcome.retryAt());
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
        .map(why -> new Impossible("preemption: " + why, true, Instant.MAX));
  }

  /** Returns the reason for which the pod may not evict others now; empty if it may. */
  private Optional<String> ineligibility(PodEntry preemptor, NodeSet potential) {
    if (preemptor.spec().neverPreempts()) {
      return Optional.of("not eligible due to preemptionPolicy=Never.");
    }
    String nominated = nominations.nodeOf(preemptor.ref().uid()).orElse("");
    int slot = nominated.isEmpty() ? -1 : state.nodes().slotOf(nominated);
    // A nominated node that no eviction can open is given up.
    if (slot >= 0 && potential.contains(slot) && waitsOn(slot, preemptor)) {
      return Optional.of("not eligible due to a terminating pod on the nominated node.");
    }
    return Optional.empty();
  }

  private boolean waitsOn(int slot, PodEntry preemptor) {
    if (awaited.isWaiting(preemptor.ref().uid())) {
      return true;
    }
    for (int i = 0; i < state.nodes().podCount(slot); i++) {
      PodEntry pod = state.nodes().pod(slot, i);
      if (pod.priority() < preemptor.priority() && pod.model().preempted()) {
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

  /** As kube-scheduler says why preemption does not help, the reasons in order of their text. */
  private String message(NodeSet potential, Map<Verdict, Integer> refusals) {
    int total = state.nodes().size();
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
}
