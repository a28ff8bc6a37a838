package io.berth.engine.cycle;

import io.berth.engine.framework.DryRunHints;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.StableRanges;
import io.berth.engine.journal.Journal;
import io.berth.engine.model.PodModel;
import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.PodEntry;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The room for pods of one plan on nodes next to the pods that are nominated there.
 *
 * <p>The nominated pods are placed on the node, the filters are evaluated, and the placement is
 * undone. The result is cached until the node or its nominations change, or an outside count leaves
 * its stable range, so that a nomination costs each incoming pod only a few comparisons.
 */
final class NominatedRoom {
  /** The approximate memory of one result. */
  private static final long FINDING_BYTES = 250;

  /**
   * The first rejection of a node.
   *
   * @param filter the position of the filter in the plan
   */
  record Rejection(int filter, int verdict) {}

  /** The result for a node, with the versions that it is based on. */
  private static final class Finding {
    final List<PodModel> nominated;
    final long[] versions;
    final StableRanges ranges;
    final @Nullable Rejection rejection;

    Finding(
        List<PodModel> nominated,
        long[] versions,
        StableRanges ranges,
        @Nullable Rejection rejection) {
      this.nominated = nominated;
      this.versions = versions;
      this.ranges = ranges;
      this.rejection = rejection;
    }
  }

  private final List<NodeFilter> filters;
  private final ClusterState state;
  private final NodeTable nodes;
  private final boolean remembers;
  private final Map<Integer, Finding> findings = new HashMap<>();
  private long trials;

  NominatedRoom(List<NodeFilter> filters, ClusterState state) {
    this.filters = filters;
    this.state = state;
    this.nodes = state.nodes();
    // Such a filter reads pods of other nodes that its counts do not cover.
    this.remembers =
        filters.stream()
            .noneMatch(filter -> filter.dryRunHints().maySettle() && filter.readsPods());
  }

  /**
   * Returns the first rejection of the pod next to the pods that are nominated for the node and
   * that it does not outrank; null if it fits, or if there are none.
   */
  @Nullable Rejection check(PodEntry pod, int slot, Nominations nominations) {
    List<PodEntry> nominated =
        NominatedPods.notOutrankedBy(pod, nodes.name(slot), state, nominations);
    if (nominated.isEmpty()) {
      return null;
    }
    List<PodModel> models = nominated.stream().map(PodEntry::model).toList();
    long[] versions = versions(slot);
    Finding known = findings.get(slot);
    if (known != null && holds(known, slot, models, versions)) {
      return known.rejection;
    }
    StableRanges ranges = beginRanges(slot);
    Rejection rejection = tryOut(nominated, slot, ranges);
    if (remembers) {
      forgetWithoutNominations(nominations);
      if (findings.put(slot, new Finding(models, versions, ranges, rejection)) == null) {
        state.answers().charge(FINDING_BYTES);
      }
    }
    return rejection;
  }

  private long[] versions(int slot) {
    long counts = 0;
    long others = 0;
    for (NodeFilter filter : filters) {
      counts += filter.dryRunHints().outsideCountsVersion();
      others += filter.otherInputsVersion();
    }
    return new long[] {
      nodes.capacityLog().stampOf(slot),
      nodes.labelLog().stampOf(slot),
      nodes.taintLog().stampOf(slot),
      counts,
      others
    };
  }

  private boolean holds(Finding known, int slot, List<PodModel> nominated, long[] versions) {
    if (!Arrays.equals(known.versions, versions) || !known.nominated.equals(nominated)) {
      return false;
    }
    int count = 0;
    for (NodeFilter filter : filters) {
      DryRunHints hints = filter.dryRunHints();
      for (int i = 0; i < hints.outsideCounts(); i++, count++) {
        long now = hints.outsideCount(i, slot);
        if (now < known.ranges.least(count) || now > known.ranges.greatest(count)) {
          return false;
        }
      }
    }
    return true;
  }

  private StableRanges beginRanges(int slot) {
    StableRanges ranges =
        new StableRanges(
            filters.stream().mapToInt(filter -> filter.dryRunHints().outsideCounts()).sum());
    int count = 0;
    for (NodeFilter filter : filters) {
      DryRunHints hints = filter.dryRunHints();
      for (int i = 0; i < hints.outsideCounts(); i++) {
        ranges.begin(count++, hints.outsideCount(i, slot));
      }
    }
    return ranges;
  }

  private @Nullable Rejection tryOut(List<PodEntry> nominated, int slot, StableRanges ranges) {
    trials++;
    Journal.Savepoint point = state.journal().savepoint();
    try {
      nominated.forEach(other -> state.place(other, slot));
      int first = 0;
      for (int i = 0; i < filters.size(); i++) {
        int verdict = filters.get(i).evaluate(slot, ranges, first);
        first += filters.get(i).dryRunHints().outsideCounts();
        if (verdict != NodeFilter.PASSES) {
          return new Rejection(i, verdict);
        }
      }
      return null;
    } finally {
      state.journal().rollback(point);
      filters.forEach(NodeFilter::refreshInputs);
    }
  }

  /** Drops the results for nodes without nominations. */
  private void forgetWithoutNominations(Nominations nominations) {
    if (findings.size() <= nominations.nodes().size()) {
      return;
    }
    int before = findings.size();
    findings
        .keySet()
        .removeIf(
            slot ->
                !nodes.alive().contains(slot) || nominations.podsOn(nodes.name(slot)).isEmpty());
    state.answers().charge(FINDING_BYTES * (findings.size() - before));
  }

  /**
   * Returns the number of times that nominated pods were placed on a node as a trial; tests compare
   * it with the number of changes.
   */
  long trials() {
    return trials;
  }

  /** Releases the cache when the plan is dropped. */
  void release() {
    state.answers().charge(-FINDING_BYTES * findings.size());
    findings.clear();
  }
}
