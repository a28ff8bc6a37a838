package io.berth.engine.preemption;

import io.berth.engine.framework.Verdict;
import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeTable;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What dry runs found for one kind of preemptor, node by node, until the node changes. */
final class RememberedRuns {
  private final ClusterState state;
  private final NodeTable nodes;
  private final Nominations nominations;
  private boolean[] known = {};
  private @Nullable Candidate[] candidates = {};
  private Verdict[] refusals = {};
  private long seenCapacity;
  private long seenLabels;
  private long seenTaints;
  private long seenNominations;
  private long seenBudgets;

  RememberedRuns(ClusterState state, Nominations nominations) {
    this.state = state;
    this.nodes = state.nodes();
    this.nominations = nominations;
    this.seenCapacity = nodes.capacityLog().head();
    this.seenLabels = nodes.labelLog().head();
    this.seenTaints = nodes.taintLog().head();
    this.seenNominations = nominations.version();
    this.seenBudgets = state.budgetsVersion();
    grow();
  }

  /** Forgets what may have changed. */
  void follow() {
    grow();
    seenCapacity = nodes.capacityLog().visit(seenCapacity, this::forget);
    seenLabels = nodes.labelLog().visit(seenLabels, this::forget);
    seenTaints = nodes.taintLog().visit(seenTaints, this::forget);
    boolean all =
        seenBudgets != state.budgetsVersion()
            || !nominations.forEachChangeSince(
                seenNominations, nodeName -> forget(nodes.slotOf(nodeName)));
    seenBudgets = state.budgetsVersion();
    seenNominations = nominations.version();
    if (all) {
      Arrays.fill(known, false);
    }
  }

  private void grow() {
    if (known.length < nodes.slots()) {
      int capacity = Math.max(64, nodes.slots() * 3 / 2);
      known = Arrays.copyOf(known, capacity);
      candidates = Arrays.copyOf(candidates, capacity);
      refusals = Arrays.copyOf(refusals, capacity);
    }
  }

  private void forget(int slot) {
    if (slot >= 0 && slot < known.length) {
      known[slot] = false;
    }
  }

  boolean knows(int slot) {
    return known[slot];
  }

  void remember(int slot, @Nullable Candidate candidate, Verdict refusal) {
    known[slot] = true;
    candidates[slot] = candidate;
    refusals[slot] = refusal;
  }

  @Nullable Candidate candidate(int slot) {
    return candidates[slot];
  }

  Verdict refusal(int slot) {
    return refusals[slot];
  }
}
