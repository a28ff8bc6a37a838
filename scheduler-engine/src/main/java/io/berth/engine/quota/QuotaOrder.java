package io.berth.engine.quota;

import io.berth.engine.state.ClusterState;
import io.berth.engine.state.EvictionOrder;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.PriorityOrder;
import io.berth.engine.time.Due;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The order of a cluster with queues: priorities decide within a queue, and for pods that belong to
 * no queue; between queues, {@link Reclaim} does.
 */
final class QuotaOrder implements EvictionOrder {
  /** The part of a preemptor and of the queues that decides which pods give way. */
  private record Kind(
      QueueNode leaf, List<Long> amounts, List<PodShare> reserved, int priority, long version) {}

  private final Quotas quotas;
  private final PriorityOrder byPriority;

  QuotaOrder(ClusterState state, Quotas quotas) {
    this.quotas = quotas;
    this.byPriority = new PriorityOrder(state.nodes());
  }

  @Override
  public boolean outranks(PodEntry pod, PodEntry other) {
    if (!byPriority.outranks(pod, other)) {
      return false;
    }
    QueueNode leaf = quotas.leafOf(pod);
    if (leaf == null) {
      return true;
    }
    Reclaim reclaim = quotas.reclaimFor(pod);
    PodShare share = quotas.shareOf(other);
    return leaf == quotas.leafOf(other)
        && (share == null || reclaim == null || reclaim.permits(List.of(other)));
  }

  @Override
  public boolean mayDisplace(PodEntry victim, PodEntry preemptor) {
    Reclaim reclaim = quotas.reclaimFor(preemptor);
    if (reclaim == null) {
      return byPriority.mayDisplace(victim, preemptor);
    }
    PodShare share = quotas.shareOf(victim);
    QueueNode leaf = share == null ? quotas.leafOf(victim) : share.leaf;
    if (leaf == null) {
      return false;
    }
    // A pod that leaves is no loss to its queue any more.
    return share == null || !share.counts || reclaim.mayTake(share, leaf);
  }

  @Override
  public boolean mayHaveVictims(PodEntry preemptor) {
    Reclaim reclaim = quotas.reclaimFor(preemptor);
    if (reclaim == null) {
      return byPriority.mayHaveVictims(preemptor);
    }
    for (QueueNode leaf : quotas.leaves()) {
      if (reclaim.mayTakeFrom(leaf)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Compares priorities alone: pods of other queues may give way too, but units that could reclaim
   * are found by {@link Quotas#mayReclaim} when the engine is idle, one for each queue.
   */
  @Override
  public boolean mightDisplace(PodEntry victim, int priority) {
    return byPriority.mightDisplace(victim, priority);
  }

  /** Pods of other queues may give way whatever their priority is. */
  @Override
  public boolean mightDisplaceAnyOf(int lowest, PodEntry preemptor) {
    return true;
  }

  @Override
  public boolean comparesOnlyPriorities(PodEntry preemptor) {
    return quotas.leafOf(preemptor) == null && quotas.reclaimFor(preemptor) == null;
  }

  @Override
  public boolean mightDisplaceAny(int priority) {
    return byPriority.mightDisplaceAny(priority);
  }

  @Override
  public boolean mayHaveDisplaced(PodEntry victim, PodEntry preemptor) {
    return true;
  }

  @Override
  public Due protectedUntil(PodEntry victim, PodEntry preemptor) {
    PodShare share = quotas.shareOf(victim);
    if (share == null || share.leaf == null || !share.counts) {
      return Due.AT_ONCE;
    }
    QueueNode leaf = share.leaf;
    if (leaf.minRunTime.isZero()
        || leaf == quotas.leafOf(preemptor)
        || quotas.leafOf(preemptor) == null) {
      return Due.AT_ONCE;
    }
    return victim
        .model()
        .startedAt()
        .map(start -> Due.at(start.plus(leaf.minRunTime)))
        .orElse(Due.NEVER);
  }

  @Override
  public boolean limitsTogether() {
    return true;
  }

  @Override
  public List<PodEntry> together(List<PodEntry> victims, PodEntry preemptor) {
    return reclaim(preemptor).map(reclaim -> reclaim.together(victims)).orElse(victims);
  }

  @Override
  public boolean permits(List<PodEntry> victims, PodEntry preemptor) {
    return reclaim(preemptor).map(reclaim -> reclaim.permits(victims)).orElse(true);
  }

  @Override
  public Comparator<PodEntry> sparedFirst(PodEntry preemptor, Comparator<PodEntry> importance) {
    return reclaim(preemptor).map(reclaim -> reclaim.sparedFirst(importance)).orElse(importance);
  }

  @Override
  public Object kindOf(PodEntry preemptor) {
    return reclaim(preemptor).<Object>map(reclaim -> kindOf(reclaim.unit())).orElse("outside");
  }

  private Kind kindOf(UnitShare unit) {
    return new Kind(
        unit.leaf(),
        Arrays.stream(unit.amounts()).boxed().toList(),
        unit.reserved(),
        unit.priority(),
        quotas.version());
  }

  private Optional<Reclaim> reclaim(PodEntry preemptor) {
    return Optional.ofNullable(quotas.reclaimFor(preemptor));
  }
}
