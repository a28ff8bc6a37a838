package io.berth.engine.preemption;

import io.berth.engine.cards.CardShortage;
import io.berth.engine.cards.HeldCards;
import io.berth.engine.journal.Journal;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.PodEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A search for the pods to evict from a node with GPU cards, for a pod that requests cards.
 *
 * <p>If pods are spared one by one, as in kube-scheduler, one pod may remain on each card, so that
 * many are evicted although the pods of one card would suffice. This search finds the best set by
 * the order in which nodes are compared ({@link Candidate#isBetterThan}): few violations of
 * budgets, victims of low priority, few of them. It branches on the next pod to evict, the least
 * important first, and prunes branches that cannot be better than the best set so far, with {@link
 * CardShortage} as the bound. It starts with the set from sparing pods one by one, and ends after
 * {@value #MOST_TRIES} tries with the best set so far.
 */
final class FewestVictims {
  private static final int MOST_TRIES = 500;

  private final ClusterState state;
  private final int slot;
  private final Set<PodEntry> violating;
  private final BooleanSupplier fits;
  private final Consumer<PodEntry> takeOff;
  private final CardShortage shortage;

  /** The pods that may be evicted, the least important first. */
  private final List<PodEntry> pods = new ArrayList<>();

  private final Map<PodEntry, HeldCards> held = new HashMap<>();
  private final List<PodEntry> gone = new ArrayList<>();
  private final List<PodEntry> kept = new ArrayList<>();
  private Candidate best;
  private int tries;

  /**
   * @param preemptor the pod to find victims for
   * @param lower the pods that may be evicted, the most important first; all of them on the node
   * @param violating the pods among them whose eviction violates a budget
   * @param spared the initial set of victims
   * @param fits returns whether the preemptor currently fits on the node
   * @param takeOff removes a pod from the node
   */
  FewestVictims(
      ClusterState state,
      PodEntry preemptor,
      List<PodEntry> lower,
      Set<PodEntry> violating,
      Candidate spared,
      BooleanSupplier fits,
      Consumer<PodEntry> takeOff) {
    this.state = state;
    this.slot = spared.slot();
    this.violating = violating;
    this.best = spared;
    this.fits = fits;
    this.takeOff = takeOff;
    this.shortage = new CardShortage(state.cards().table(), slot, preemptor.spec().cards());
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
    for (PodEntry pod : lower) {
      state.cards().heldBy(pod).ifPresent(cards -> held.put(pod, cards));
    }
  }

  /** Returns the best set of victims. */
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
      // While cards are missing, one of the next victims must be a pod that holds cards.
      boolean helps = fewest == 0 || held.containsKey(pod);
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
      takeOff.accept(pod);
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
    if (found.isBetterThan(best)) {
      best = found;
    }
  }

  private int fewestMore() {
    List<HeldCards> mayLeave = new ArrayList<>();
    for (PodEntry pod : pods) {
      HeldCards cards = held.get(pod);
      if (cards != null && !gone.contains(pod) && !kept.contains(pod)) {
        mayLeave.add(cards);
      }
    }
    return shortage.fewest(mayLeave);
  }

  /**
   * Returns whether the removed pods, plus this number of others, can be better than the best set.
   */
  private boolean mayBeBetter(int more) {
    if (more == CardShortage.HOPELESS) {
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
          && holdTheSame(other, pod)) {
        return true;
      }
    }
    return false;
  }

  private boolean holdTheSame(PodEntry one, PodEntry other) {
    Optional<HeldCards> cards = Optional.ofNullable(held.get(one));
    return cards
        .map(of -> held.containsKey(other) && of.isLike(held.get(other)))
        .orElse(!held.containsKey(other));
  }
}
