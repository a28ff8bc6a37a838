package io.berth.engine.preemption;

import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.PreemptionRules;
import io.berth.engine.model.GroupMembership;
import io.berth.engine.model.GroupRef;
import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** The cached results of dry runs, by kind of preemptor. The least recently used are dropped. */
final class DryRunCaches {
  /**
   * The maximum number of kinds of preemptors with cached results; the least recently used are
   * dropped.
   */
  private static final int REMEMBERED_KINDS = 32;

  /**
   * The number of kinds, with a new one, that do not depend on the share of dry runs: one search
   * may need two.
   */
  private static final int KEPT_AT_LEAST = 3;

  /** The kind of a preemptor: everything that dry runs read of it. */
  private record Kind(
      Object preemptor,
      Object order,
      Optional<GroupRef> group,
      PreemptionRules rules,
      List<NodeFilter> filters) {}

  private final ClusterState state;
  private final Nominations nominations;
  private final Map<Kind, DryRunCache> remembered =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Kind, DryRunCache> eldest) {
          boolean goes = size() > REMEMBERED_KINDS;
          if (goes) {
            eldest.getValue().release();
          }
          return goes;
        }
      };

  DryRunCaches(ClusterState state, Nominations nominations) {
    this.state = state;
    this.nominations = nominations;
  }

  /** Returns the number of kinds. */
  int size() {
    return remembered.size();
  }

  /**
   * Returns the results for the kind of preemptor, without those that may have changed.
   *
   * @param filters the filters of the dry runs
   */
  DryRunCache of(DryRuns.Question question, List<NodeFilter> filters) {
    Kind kind =
        new Kind(
            question.rules().kindOf(question.preemptor()),
            state.evictionOrder().kindOf(question.preemptor()),
            question.preemptor().model().group().map(GroupMembership::group),
            question.rules(),
            filters);
    DryRunCache runs = remembered.get(kind);
    if (runs == null) {
      // Kinds whose plans have been dropped are not requested again.
      forgetWhere(entry -> !entry.getKey().filters().stream().allMatch(NodeFilter::isHeld));
      forgetWhere(entry -> state.answers().isFull());
      forgetWhere(
          entry -> remembered.size() >= KEPT_AT_LEAST && state.answers().hasTooManyDryRuns());
      runs = new DryRunCache(state, nominations, filters);
      remembered.put(kind, runs);
    }
    runs.refresh();
    return runs;
  }

  /** Updates the memory charge, unless the cache was dropped in the meantime. */
  void charge(DryRunCache runs) {
    if (remembered.containsValue(runs)) {
      runs.charge();
    }
  }

  private void forgetWhere(Predicate<Map.Entry<Kind, DryRunCache>> goes) {
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
}
