package io.berth.engine.preemption;

import io.berth.engine.journal.Journal;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.Importance;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.Shortage;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * A search for the pods to evict from a node for a pod that lacks resources which the pods there
 * hold in parts, such as GPU cards.
 *
 * <p>If pods are spared one by one, as in kube-scheduler, one pod may remain on each card, so that
 * many are evicted although the pods of one card would suffice. This search finds the best set by
 * the order in which nodes are compared ({@link Candidate#isBetterThan}): few violations of
 * budgets, victims of low priority, few of them. It branches on the next pod to evict, the least
 * important first, and prunes branches that cannot be better than the best set so far, with {@link
 * Shortage} as the bound. It starts with the set from sparing pods one by one, and ends after
 * {@value #MOST_TRIES} tries with the best set so far.
 */
final class FewestVictims {
  private static final int MOST_TRIES = 500;

  private final ClusterState state;
  private final int slot;
  private final Set<PodEntry> violating;
  private final BooleanSupplier fits;
  private final Predicate<Candidate> isAllowed;
  private final List<Shortage> shortages;

  /** The pods that may be evicted, the least important first. */
  private final List<PodEntry> pods = new ArrayList<>();

  private final List<PodEntry> gone = new ArrayList<>();
  private final List<PodEntry> kept = new ArrayList<>();
  private Candidate best;
  private boolean bestIsAllowed;
  private int tries;

  /**
   * @param shortages what the pod lacks that needs victims
   * @param lower the pods that may be evicted, the most important first; all of them on the node
   * @param violating the pods among them whose eviction violates a budget
   * @param spared the initial set of victims
   * @param fits returns whether the preemptor currently fits on the node
   * @param isAllowed returns whether exactly these victims may be evicted together
   */
  FewestVictims(
      ClusterState state,
      List<Shortage> shortages,
      List<PodEntry> lower,
      Set<PodEntry> violating,
      Candidate spared,
      BooleanSupplier fits,
      Predicate<Candidate> isAllowed) {
    this.state = state;
    this.slot = spared.slot();
    this.violating = violating;
    this.best = spared;
    this.fits = fits;
    this.isAllowed = isAllowed;
    this.bestIsAllowed = isAllowed.test(spared);
    this.shortages = shortages;
    for (PodEntry pod : lower.reversed()) {
      if (!violating.contains(pod)) {
        pods.add(pod);
      }
    }
    for (PodEntry pod : lower.reversed()) {
      if (violating.contains(pod)) {
        pods.add(pod);
      }
    }
    shortages.forEach(shortage -> shortage.begin(lower));
  }

  /** Returns the best set of victims that is allowed; the initial set if none is better. */
  Candidate find() {
    evictMore();
    return best;
  }

  private void evictMore() {
    int fewest = fewestMore();
    if (!mayBeBetter(fewest)) {
      return;
    }
    tries++;
    if (fewest == 0 && fits.getAsBoolean()) {
      keep();
      return;
    }
    int before = kept.size();
    for (PodEntry pod : pods) {
      // While resources are missing, one of the next victims must be a pod that holds some.
      boolean helps = fewest == 0 || shortages.stream().anyMatch(each -> each.isHeldBy(pod));
      if (!helps || gone.contains(pod) || kept.contains(pod) || isLikeOneThatStays(pod)) {
        continue;
      }
      if (tries >= MOST_TRIES) {
        break;
      }
      evict(pod);
      kept.add(pod);
      if (!mayBeBetter(fewestMore())) {
        break;
      }
    }
    kept.subList(before, kept.size()).clear();
  }

  private void evict(PodEntry pod) {
    Journal.Savepoint point = state.journal().savepoint();
    gone.add(pod);
    try {
      state.evictInDryRun(pod);
      evictMore();
    } finally {
      gone.removeLast();
      state.journal().rollback(point);
    }
  }

  private void keep() {
    List<PodEntry> victims = new ArrayList<>(gone);
    victims.sort(Importance.MORE_IMPORTANT_FIRST);
    Candidate found =
        Candidate.of(
            slot,
            victims,
            (int) victims.stream().filter(violating::contains).count(),
            VictimUnits.broken(victims, state));
    if ((!bestIsAllowed || found.isBetterThan(best)) && isAllowed.test(found)) {
      best = found;
      bestIsAllowed = true;
    }
  }

  private int fewestMore() {
    List<PodEntry> mayLeave = new ArrayList<>();
    for (PodEntry pod : pods) {
      if (!gone.contains(pod) && !kept.contains(pod)) {
        mayLeave.add(pod);
      }
    }
    int most = 0;
    for (Shortage shortage : shortages) {
      most = Math.max(most, shortage.fewest(mayLeave));
    }
    return most;
  }

  /**
   * Returns whether the removed pods, plus this number of others, can be better than the best set.
   */
  private boolean mayBeBetter(int more) {
    if (more == Shortage.HOPELESS) {
      return false;
    }
    long lowest = Long.MAX_VALUE;
    for (PodEntry pod : pods) {
      if (!gone.contains(pod) && !kept.contains(pod)) {
        lowest = Math.min(lowest, pod.priority());
      }
    }
    if (lowest == Long.MAX_VALUE && more > 0) {
      return false;
    }
    if (!bestIsAllowed) {
      return true;
    }
    int violations = (int) gone.stream().filter(violating::contains).count();
    return best.mayBeWorseThan(gone, violations, VictimUnits.broken(gone, state), more, lowest);
  }

  /**
   * Returns whether the pod is equivalent to a less important one that was kept: evicting that one
   * instead is at least as good.
   */
  private boolean isLikeOneThatStays(PodEntry pod) {
    for (PodEntry other : kept) {
      if (other.spec().equals(pod.spec())
          && other.model().labels().equals(pod.model().labels())
          && violating.contains(other) == violating.contains(pod)
          && shortages.stream().allMatch(each -> each.holdTheSame(other, pod))) {
        return true;
      }
    }
    return false;
  }
}
