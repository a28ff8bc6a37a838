package io.berth.engine.preemption;

import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.Verdict;
import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.SharedSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Dry runs on all nodes, remembered per kind of preemptor.
 *
 * <p>What a dry run finds depends on the node's columns and pods, on the pods that are promised
 * room there, and on budgets. All of these are followed; but where a filter's verdict depends on
 * pods of other nodes, nothing is remembered.
 */
final class DryRuns {
  /** For this many kinds of preemptors answers are remembered; those asked least recently go. */
  private static final int REMEMBERED_KINDS = 32;

  /**
   * What the dry runs found.
   *
   * @param best the candidate to prefer; null where there is none
   * @param candidates all of them, if they were to be kept
   * @param refusals why the other nodes are none, and how many
   */
  record Outcome(
      @Nullable Candidate best, List<Candidate> candidates, Map<Verdict, Integer> refusals) {}

  private record Kind(SharedSpec spec, List<NodeFilter> filters) {}

  private final ClusterState state;
  private final Nominations nominations;
  private final Map<Kind, RememberedRuns> remembered =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Kind, RememberedRuns> eldest) {
          return size() > REMEMBERED_KINDS;
        }
      };
  private long count;

  DryRuns(ClusterState state, Nominations nominations) {
    this.state = state;
    this.nominations = nominations;
  }

  /** How many dry runs there were. */
  long count() {
    return count;
  }

  Outcome run(
      PodEntry preemptor, List<NodeFilter> filters, NodeSet potential, boolean keepCandidates) {
    RememberedRuns runs = runsFor(preemptor, filters);
    DryRun dryRun = new DryRun(state, nominations, preemptor, filters);
    List<Candidate> candidates = new ArrayList<>();
    Map<Verdict, Integer> refusals = new HashMap<>();
    Candidate best = null;
    for (int slot = potential.next(0); slot >= 0; slot = potential.next(slot + 1)) {
      if (!runs.knows(slot)) {
        Candidate found = dryRun.on(slot);
        runs.remember(slot, found, dryRun.refusal());
        count++;
      }
      Candidate candidate = runs.candidate(slot);
      if (candidate == null) {
        refusals.merge(runs.refusal(slot), 1, Integer::sum);
        continue;
      }
      if (keepCandidates) {
        candidates.add(candidate);
      }
      if (best == null || candidate.isBetterThan(best)) {
        best = candidate;
      }
    }
    return new Outcome(best, candidates, refusals);
  }

  private RememberedRuns runsFor(PodEntry preemptor, List<NodeFilter> filters) {
    boolean local =
        preemptor.spec().volumes().isEmpty()
            && filters.stream().noneMatch(NodeFilter::dependsOnOtherNodes);
    // A pod that is itself promised room does not yield to its own promise: nobody else's answer.
    boolean promised = nominations.nodeOf(preemptor.ref().uid()).isPresent();
    if (!local || promised) {
      return new RememberedRuns(state, nominations);
    }
    RememberedRuns runs =
        remembered.computeIfAbsent(
            new Kind(preemptor.shared(), filters), kind -> new RememberedRuns(state, nominations));
    runs.follow();
    return runs;
  }
}
