package io.berth.engine.quota;

import io.berth.engine.state.PodEntry;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The pods of other queues that give way to one unit.
 *
 * <p>Of the two queues, below their lowest common ancestor, that the unit and a pod belong to, the
 * pod's must have borrowed the pod, and the unit's must be covered by its guarantee with the unit,
 * or have the higher priority, or at equal priority have at most nine tenths of the other's share,
 * and with the unit no larger share than the other without all pods that it loses. In this, a queue
 * with a larger past share counts the difference as a part of its share. Otherwise it would take
 * back what the other queue, which is served first because of its smaller past share, has just
 * started.
 */
final class Reclaim {
  /** The right of the unit to pods of another queue. */
  private enum Right {
    NONE,
    ALWAYS,
    /** As long as the shares do not change places. */
    BY_SHARE
  }

  /**
   * The rights towards a leaf.
   *
   * @param isCovered whether the guarantee of the other queue covers the unit
   * @param giver the queue with the leaf below the common ancestor
   * @param takerShare the share of the other queue with the unit, and what it had more in the past
   */
  private record Claim(
      Right right, boolean isCovered, QueueNode giver, double takerShare, double giverShare) {}

  /**
   * Shares that differ by less than a tenth are left alone: pods that start and end change them all
   * the time, and each change would evict. Jain's index of two shares of this ratio is 0.997.
   */
  private static final double CLOSE = 0.9;

  /** So that a share of exactly nine tenths is not more, whatever the rounding. */
  private static final double ROUNDING = 1e-9;

  private final UnitShare unit;
  private final Capacity capacity;
  private final Function<PodEntry, @Nullable PodShare> shares;
  private final IdentityHashMap<QueueNode, Claim> claims = new IdentityHashMap<>();

  /**
   * @param shares returns what a pod uses; null if it uses nothing
   */
  Reclaim(UnitShare unit, Capacity capacity, Function<PodEntry, @Nullable PodShare> shares) {
    this.unit = unit;
    this.capacity = capacity;
    this.shares = shares;
  }

  UnitShare unit() {
    return unit;
  }

  private Claim claim(QueueNode leaf) {
    return claims.computeIfAbsent(leaf, this::claimed);
  }

  private Claim claimed(QueueNode leaf) {
    int common = 0;
    int deepest = Math.min(leaf.depth, unit.leaf().depth);
    while (common < deepest && leaf.at(common + 1) == unit.leaf().at(common + 1)) {
      common++;
    }
    QueueNode taker = unit.leaf().at(common + 1);
    QueueNode giver = leaf.at(common + 1);
    // Past shares give no right, but the queue that had more does not take by its share.
    double more = Math.max(0, taker.pastShare - giver.pastShare);
    double takerShare = unit.shareOf(taker, false, capacity) + more;
    double takerBefore = unit.shareWithout(taker, capacity) + more;
    double giverShare = giver.share(capacity.nothing(), capacity.nothing(), capacity.amounts());
    Right right = Right.NONE;
    boolean covered = taker.wouldCover(unit);
    if (!leaf.reclaimable) {
      return new Claim(right, covered, giver, takerShare, giverShare);
    }
    if (taker.priority > giver.priority || covered) {
      right = Right.ALWAYS;
    } else if (taker.priority == giver.priority
        && takerShare < giverShare
        && takerBefore <= CLOSE * giverShare + ROUNDING) {
      right = Right.BY_SHARE;
    }
    return new Claim(right, covered, giver, takerShare, giverShare);
  }

  /** Returns whether pods of this queue may give way, if it has borrowed any. */
  boolean mayTakeFrom(QueueNode leaf) {
    if (leaf == unit.leaf()) {
      return leaf.lowestPriority() < unit.priority();
    }
    Claim claim = claim(leaf);
    return claim.right() != Right.NONE && !AmountVectors.isNothing(claim.giver().borrowed());
  }

  /** Returns whether the pod, which counts in this leaf, may give way. */
  boolean mayTake(PodShare victim, QueueNode leaf) {
    if (leaf == unit.leaf()) {
      return victim.priority < unit.priority();
    }
    Claim claim = claim(leaf);
    return claim.right() != Right.NONE
        && !claim.giver().covers(victim)
        && (claim.isCovered()
            || victim.priority <= unit.priority()
            || !claim.giver().isCoveredAbove(victim))
        && (claim.right() == Right.ALWAYS || claim.takerShare() <= without(claim, victim.amounts));
  }

  /**
   * Returns whether the queues that the unit and the victims share lose nothing that their
   * guarantees cover: where these cover a victim, they have to cover the unit in its place.
   * Otherwise the victim would be taken back from others, and they would take it from the unit.
   */
  private boolean keepsCovered(List<PodShare> victims) {
    List<PodShare> together =
        victims.stream()
            .filter(victim -> victim.leaf == unit.leaf() || !claim(leafOf(victim)).isCovered())
            .toList();
    for (int depth = unit.leaf().depth; depth > 0; depth--) {
      QueueNode shared = unit.leaf().at(depth);
      List<PodShare> here =
          together.stream().filter(victim -> leafOf(victim).at(shared.depth) == shared).toList();
      List<PodShare> lost = here.stream().filter(shared::covers).toList();
      if (!lost.isEmpty()) {
        return lost.stream().allMatch(victim -> victim.priority <= unit.priority())
            && shared.wouldCoverWithout(here, unit);
      }
    }
    return true;
  }

  private QueueNode leafOf(PodShare share) {
    return share.leaf == null ? unit.leaf() : share.leaf;
  }

  private double without(Claim claim, long[] lost) {
    return claim.giver().share(capacity.nothing(), lost, capacity.amounts());
  }

  /**
   * Returns those of the pods that may give way together: from each queue that loses them by its
   * share, only as many as it may lose.
   */
  List<PodEntry> together(List<PodEntry> victims) {
    IdentityHashMap<QueueNode, long[]> lost = new IdentityHashMap<>();
    List<PodEntry> kept = new ArrayList<>();
    victims.stream()
        .sorted(sparedFirst(BY_START).reversed())
        .forEach(
            victim -> {
              Claim claim = claimByShare(victim);
              if (claim == null || takes(claim, victim, lost)) {
                kept.add(victim);
              }
            });
    return kept;
  }

  private static final Comparator<PodEntry> BY_START =
      Comparator.comparingInt(PodEntry::priority)
          .reversed()
          .thenComparingLong(PodEntry::startNanos)
          .thenComparing(PodEntry::key);

  private boolean takes(Claim claim, PodEntry victim, IdentityHashMap<QueueNode, long[]> lost) {
    PodShare share = shares.apply(victim);
    if (share == null) {
      return true;
    }
    long[] before = lost.getOrDefault(claim.giver(), capacity.nothing());
    long[] after = before.clone();
    AmountVectors.add(after, share.amounts);
    if (claim.takerShare() > without(claim, after)) {
      return false;
    }
    lost.put(claim.giver(), after);
    return true;
  }

  /** Returns the claim to a pod that counts in another queue; null for other pods. */
  private @Nullable Claim claimTo(PodEntry victim) {
    PodShare share = shares.apply(victim);
    return share == null || !share.counts || share.leaf == null || share.leaf == unit.leaf()
        ? null
        : claim(share.leaf);
  }

  /** Returns the claim to a pod that is taken by share; null for others. */
  private @Nullable Claim claimByShare(PodEntry victim) {
    Claim claim = claimTo(victim);
    return claim != null && claim.right() == Right.BY_SHARE ? claim : null;
  }

  /**
   * Returns whether exactly these pods may give way: the queues that all belong to lose nothing
   * that is covered, and each queue that loses pods by its share has a smaller one then, and still
   * no smaller one than the unit's.
   */
  boolean permits(List<PodEntry> victims) {
    List<PodShare> counted =
        victims.stream()
            .map(shares)
            .filter(Objects::nonNull)
            .filter(share -> share.counts && share.leaf != null)
            .toList();
    if (!keepsCovered(counted)) {
      return false;
    }
    IdentityHashMap<Claim, long[]> lost = new IdentityHashMap<>();
    for (PodEntry victim : victims) {
      Claim claim = claimByShare(victim);
      PodShare share = shares.apply(victim);
      if (claim != null && share != null) {
        Claim ofGiver = first(lost, claim);
        AmountVectors.add(
            lost.computeIfAbsent(ofGiver, absent -> new long[share.amounts.length]), share.amounts);
      }
    }
    for (Map.Entry<Claim, long[]> each : lost.entrySet()) {
      double left = without(each.getKey(), each.getValue());
      if (left >= each.getKey().giverShare() || each.getKey().takerShare() > left) {
        return false;
      }
    }
    return true;
  }

  /** Returns the claim under which losses of the same queue are summed up. */
  private static Claim first(IdentityHashMap<Claim, long[]> lost, Claim claim) {
    for (Claim known : lost.keySet()) {
      if (known.giver() == claim.giver()) {
        return known;
      }
    }
    return claim;
  }

  /**
   * Returns the order in which pods stay: those of the unit's own queue, then those of queues with
   * higher priority, then those of queues with a smaller share; pods that leave anyway come last.
   */
  Comparator<PodEntry> sparedFirst(Comparator<PodEntry> importance) {
    return Comparator.comparingInt(this::distance)
        .thenComparing(Comparator.comparingInt(this::priorityOfGiver).reversed())
        .thenComparingDouble(this::shareOfGiver)
        .thenComparing(importance);
  }

  private int distance(PodEntry pod) {
    PodShare share = shares.apply(pod);
    if (share == null || !share.counts || share.leaf == null) {
      return 2;
    }
    return share.leaf == unit.leaf() ? 0 : 1;
  }

  private int priorityOfGiver(PodEntry pod) {
    Claim claim = claimTo(pod);
    return claim == null ? 0 : claim.giver().priority;
  }

  private double shareOfGiver(PodEntry pod) {
    Claim claim = claimTo(pod);
    return claim == null ? 0 : claim.giverShare();
  }
}
