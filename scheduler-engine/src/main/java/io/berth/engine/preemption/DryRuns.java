package io.berth.engine.preemption;

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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Dry runs on all nodes, cached by kind of preemptor.
 *
 * <p>The result of a dry run depends on the node's columns and pods, on the pods that are nominated
 * there, on budgets, and on counts outside the node that its filters read ({@link
 * io.berth.engine.framework.DryRunHints#outsideCount}). All of these are tracked. Filters whose
 * verdict does not depend on the pods of the node (taints, node affinity, most volumes) are not
 * part of it: a node that one of them rejects is not a candidate, and results for other nodes are
 * cached without them, so that preemptors that differ only in their volumes are of one kind. If the
 * verdict of such a filter may still change with the pods of a node, the result of all filters is
 * cached for this kind of preemptor separately.
 */
final class DryRuns {
  /**
   * The result of the dry runs.
   *
   * @param best the best candidate; null if there is none
   * @param candidates all candidates, if requested
   * @param refusals the reasons why nodes are not candidates, with the number of nodes; only if
   *     there is no candidate
   * @param retryAt the time at which there may be a candidate even if nothing else changes; never
   *     if there is one, or none is expected
   */
  record Outcome(
      @Nullable Candidate best,
      List<Candidate> candidates,
      Map<Verdict, Integer> refusals,
      Due retryAt) {}

  /**
   * The preemptor to find victims for.
   *
   * @param rules the rules about which pods it may evict
   * @param filters the refreshed filters of the preemptor's policy and shape, in order
   */
  record Question(
      PodEntry preemptor, PreemptionRules rules, List<NodeFilter> filters, Instant now) {}

  /** The number of nodes that are put into the order in about the time of one dry run. */
  private static final int NODES_PER_DRY_RUN = 1_024;

  private final ClusterState state;
  private final Nominations nominations;
  private final RefusedEvictions refused;
  private final RecentEvictions recent;
  private final DryRunCaches remembered;
  private long count;
  private long examined;

  DryRuns(
      ClusterState state,
      Nominations nominations,
      RefusedEvictions refused,
      RecentEvictions recent) {
    this.state = state;
    this.nominations = nominations;
    this.refused = refused;
    this.recent = recent;
    this.remembered = new DryRunCaches(state, nominations);
  }

  /** Returns the number of kinds of preemptors whose dry runs are cached. */
  int cachedKinds() {
    return remembered.size();
  }

  /** Returns the number of dry runs. */
  long count() {
    return count;
  }

  /** Returns the number of nodes whose result was looked up or computed. */
  long examined() {
    return examined;
  }

  /**
   * Runs dry runs on nodes.
   *
   * @param potential the nodes to try
   */
  Outcome run(Question question, NodeSet potential, boolean keepCandidates) {
    if (!state.evictionOrder().mayHaveVictims(question.preemptor())) {
      int slots = potential.size();
      Map<Verdict, Integer> refusals = slots == 0 ? Map.of() : Map.of(DryRun.NO_VICTIMS, slots);
      return new Outcome(null, List.of(), refusals, Due.NEVER);
    }
    DryRunSearch search =
        new DryRunSearch(
            state, nominations, refused, recent, remembered, question, !keepCandidates);
    Outcome outcome =
        keepCandidates || !search.canRank() || areFew(potential)
            ? search.run(potential, keepCandidates)
            : search.runInOrder(potential);
    count += search.count();
    examined += search.examined();
    return outcome;
  }

  /**
   * Returns whether the nodes are so few that they are tried one after the other: to put only these
   * into the order, and all others back for the next preemptor, takes time for each node.
   */
  private boolean areFew(NodeSet potential) {
    return potential.size() <= Math.max(1, state.nodes().slots() / NODES_PER_DRY_RUN);
  }

  /**
   * Returns the candidates that an advisor selected, with its victims.
   *
   * @param found all current candidates
   */
  List<Candidate> among(Question question, List<Candidate> found, List<PreemptionCandidate> left) {
    Set<Integer> slots = new HashSet<>();
    found.forEach(candidate -> slots.add(candidate.slot()));
    DryRun dryRun = new DryRun(state, nominations, refused, question, question.filters(), false);
    List<Candidate> candidates = new ArrayList<>();
    for (PreemptionCandidate wanted : left) {
      int slot = state.nodes().slotOf(wanted.node());
      if (slots.contains(slot)) {
        dryRun
            .withVictims(slot, wanted)
            .filter(candidate -> isWithinLimits(candidate, question))
            .ifPresent(candidates::add);
      }
    }
    return candidates;
  }

  private boolean isWithinLimits(Candidate candidate, Question question) {
    PreemptionRules rules = question.rules();
    return !rules.limits().isLimited()
        || recent.allowedAt(candidate.toEvict(), rules, question.now()).isReached(question.now());
  }
}
