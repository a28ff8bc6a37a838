package io.berth.engine.preemption;

import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.Verdict;
import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.PodEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Dry runs on all nodes, remembered per kind of preemptor.
 *
 * <p>What a dry run finds depends on the node's columns and pods, on the pods that are promised
 * room there, on budgets, and on numbers from beyond the node that its filters tell ({@link
 * NodeFilter#figure}). All of these are followed. Filters whose verdict stays whichever pods leave
 * (taints, node affinity, most volumes) take no part in it: a node that one of them rejects is no
 * candidate, and the others are remembered without them, so that preemptors that differ in their
 * volumes alone are of one kind. Where such a filter's verdict may yet change with the pods of a
 * node, nothing is remembered about that node.
 */
final class DryRuns {
  /** For this many kinds of preemptors answers are remembered; those asked least recently go. */
  private static final int REMEMBERED_KINDS = 32;

  /**
   * What the dry runs found.
   *
   * @param best the candidate to prefer; null where there is none
   * @param candidates all of them, if they were to be kept
   * @param refusals why the other nodes are none, and how many; only where there is no candidate
   */
  record Outcome(
      @Nullable Candidate best, List<Candidate> candidates, Map<Verdict, Integer> refusals) {}

  /** Dry runs read nothing else of a preemptor. */
  private record Kind(int priority, List<NodeFilter> filters) {}

  private final ClusterState state;
  private final Nominations nominations;
  private final RefusedEvictions refused;
  private final Map<Kind, RememberedRuns> remembered =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Kind, RememberedRuns> eldest) {
          boolean goes = size() > REMEMBERED_KINDS;
          if (goes) {
            eldest.getValue().release();
          }
          return goes;
        }
      };
  private long count;

  DryRuns(ClusterState state, Nominations nominations, RefusedEvictions refused) {
    this.state = state;
    this.nominations = nominations;
    this.refused = refused;
  }

  /** How many dry runs there were. */
  long count() {
    return count;
  }

  /**
   * Tries nodes out.
   *
   * @param filters those of the preemptor's policy and shape, in their order, up to date
   * @param potential the nodes to try
   */
  Outcome run(
      PodEntry preemptor, List<NodeFilter> filters, NodeSet potential, boolean keepCandidates) {
    List<NodeFilter> settling = filters.stream().filter(NodeFilter::maySettle).toList();
    List<NodeFilter> others =
        settling.isEmpty()
            ? filters
            : filters.stream().filter(filter -> !filter.maySettle()).toList();
    boolean settlingReadPods = settling.stream().anyMatch(NodeFilter::readsPods);
    RememberedRuns runs = remembered(new Kind(preemptor.priority(), others));
    runs.follow();
    DryRun whole = new DryRun(state, nominations, refused, preemptor, filters);
    DryRun part =
        settling.isEmpty() ? whole : new DryRun(state, nominations, refused, preemptor, others);
    int own = nominations.nodeOf(preemptor.ref().uid()).map(state.nodes()::slotOf).orElse(-1);
    List<Candidate> candidates = new ArrayList<>();
    List<Integer> rejected = new ArrayList<>();
    Candidate best = null;
    for (int slot = potential.next(0); slot >= 0; slot = potential.next(slot + 1)) {
      if (isRejected(slot, settling)) {
        rejected.add(slot);
        continue;
      }
      // A pod that is itself promised room does not yield to its own promise: nobody else's answer.
      boolean alone =
          slot == own
              || !areSettled(slot, settling)
              || (settlingReadPods && !nominations.podsOn(state.nodes().name(slot)).isEmpty());
      Candidate candidate = alone ? tryOut(whole, slot, runs) : recall(runs, part, slot);
      if (candidate == null) {
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
    runs.charge();
    return new Outcome(
        best, candidates, best == null ? refusals(rejected, settling, runs, own, whole) : Map.of());
  }

  private RememberedRuns remembered(Kind kind) {
    RememberedRuns known = remembered.get(kind);
    if (known != null) {
      return known;
    }
    // Kinds whose plans are forgotten will not be asked for again.
    forgetWhere(entry -> !entry.getKey().filters().stream().allMatch(NodeFilter::isHeld));
    forgetWhere(entry -> state.answers().isFull());
    RememberedRuns made = new RememberedRuns(state, nominations, kind.filters());
    remembered.put(kind, made);
    return made;
  }

  private void forgetWhere(Predicate<Map.Entry<Kind, RememberedRuns>> goes) {
    remembered
        .entrySet()
        .removeIf(
            entry -> {
              boolean is = goes.test(entry);
              if (is) {
                entry.getValue().release();
              }
              return is;
            });
  }

  private Map<Verdict, Integer> refusals(
      List<Integer> slots, List<NodeFilter> settling, RememberedRuns runs, int own, DryRun whole) {
    Map<Verdict, Integer> refusals = new HashMap<>();
    for (int slot : slots) {
      Verdict refusal;
      if (slot != own && settling.isEmpty() && runs.remembers()) {
        refusal = runs.refusal(slot);
      } else {
        tryOut(whole, slot, runs);
        refusal = whole.refusal();
      }
      refusals.merge(refusal, 1, Integer::sum);
    }
    return refusals;
  }

  private @Nullable Candidate tryOut(DryRun dryRun, int slot, RememberedRuns runs) {
    count++;
    runs.triedOut();
    return dryRun.on(slot);
  }

  private @Nullable Candidate recall(RememberedRuns runs, DryRun dryRun, int slot) {
    if (!runs.knows(slot)) {
      Candidate found = tryOut(dryRun, slot, runs);
      runs.remember(slot, found, dryRun.refusal(), dryRun.margins());
      return found;
    }
    return runs.candidate(slot);
  }

  /** Whether a filter rejects the node whichever pods leave it. */
  private static boolean isRejected(int slot, List<NodeFilter> settling) {
    for (NodeFilter filter : settling) {
      if (filter.verdictAt(slot) != NodeFilter.PASSES && filter.isSettled(slot)) {
        return true;
      }
    }
    return false;
  }

  private static boolean areSettled(int slot, List<NodeFilter> settling) {
    for (NodeFilter filter : settling) {
      if (!filter.isSettled(slot)) {
        return false;
      }
    }
    return true;
  }
}
