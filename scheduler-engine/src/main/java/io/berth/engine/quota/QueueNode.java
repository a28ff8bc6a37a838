package io.berth.engine.quota;

import io.berth.engine.model.QueueDialect;
import io.berth.engine.model.QueueModel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A queue in the tree, with the use of its subtree and the pods that its guarantee covers.
 *
 * <p>The guarantee of a leaf covers its pods in order, each if its whole request fits beside those
 * that are covered. The guarantee of another queue covers what those of its children cover, then
 * the other pods of the subtree likewise. Covered pods are found when they are asked for; the
 * common changes, such as another pod at the end of the order, are applied at once.
 */
final class QueueNode {
  private static final long[] NOTHING = {};

  final String name;
  final @Nullable QueueNode parent;

  /** The number of queues above it; 0 for the root, which is no queue of any tenant. */
  final int depth;

  final int priority;
  final int weight;
  final Duration minRunTime;

  /** The project whose object describes it. */
  final QueueDialect dialect;

  /** False if its pods must not start. */
  final boolean open;

  /** False if pods of other queues never displace its pods. */
  final boolean reclaimable;

  /** False if no nodes are requested for pods that its guarantee does not cover. */
  final boolean scaleUp;

  /** The share that it had in the past, which never gives a right to evict. */
  double pastShare;

  final List<QueueNode> children = new ArrayList<>();
  private final Guarantee guarantee;
  final long[] limit;

  /**
   * The pods that use resources, or will (bound, assumed, or nominated), and that no child's
   * guarantee covers: those that this one may cover, in order.
   */
  private final TreeSet<PodShare> rest = new TreeSet<>();

  /** Those of them that this guarantee covers, as far as it is known. */
  private final TreeSet<PodShare> mine = new TreeSet<>();

  /** The number of pods of the subtree. */
  private int pods;

  /** A lower bound of the requests, by resource, of those pods that the guarantee concerns. */
  private final long[] smallest;

  /** The use of these pods. */
  final long[] use;

  /** The use with pods that leave, which limits count. */
  final long[] charged;

  private final long[] covered;

  /** True if the covered pods must be determined again; then it is for all queues above, too. */
  private boolean isStale;

  /** The waiting units of the subtree. */
  final WaitingCounts waiting = new WaitingCounts();

  /** The next unit of the subtree, as far as it is known. */
  final QueueHead next = new QueueHead();

  QueueNode(QueueModel model, @Nullable QueueNode parent, CountedResources resources) {
    this.name = model.name();
    this.parent = parent;
    this.depth = parent == null ? 0 : parent.depth + 1;
    this.priority = model.priority();
    this.weight = model.weight();
    this.minRunTime =
        model.dialect() == QueueDialect.KAI && model.minRunTime().isZero() && parent != null
            ? parent.minRunTime // KAI's queues have that of their parents
            : model.minRunTime();
    this.dialect = model.dialect();
    this.open = model.open();
    this.reclaimable = model.reclaimable();
    this.pastShare = model.pastShare();
    this.scaleUp = model.scaleUp();
    this.guarantee = new Guarantee(model.guarantee(), resources);
    this.limit = resources.limits(model.limit());
    this.use = new long[resources.size()];
    this.charged = new long[resources.size()];
    this.covered = new long[resources.size()];
    this.smallest = new long[resources.size()];
    Arrays.fill(smallest, Long.MAX_VALUE);
    if (parent != null) {
      parent.children.add(this);
    }
  }

  boolean isLeaf() {
    return children.isEmpty();
  }

  /** Returns the queue of this depth on the way from this one to the root. */
  QueueNode at(int level) {
    QueueNode node = this;
    while (node.depth > level && node.parent != null) {
      node = node.parent;
    }
    return node;
  }

  /** Returns the number of pods of the subtree that use resources and do not leave. */
  int pods() {
    return pods;
  }

  /** Returns the lowest priority of the pods of a leaf; the maximum value if there are none. */
  int lowestPriority() {
    return rest.isEmpty() ? Integer.MAX_VALUE : rest.last().priority;
  }

  /** Returns whether the guarantee of this queue covers the pod, which is in its subtree. */
  boolean covers(PodShare share) {
    refresh();
    return share.coveredAt >= depth;
  }

  /** Returns the amount of the i-th resource that is guaranteed; 0 if it is not looked at. */
  long guaranteed(int i) {
    return guarantee.amount(i);
  }

  /** Returns the use that the guarantee does not cover. */
  long[] borrowed() {
    refresh();
    long[] borrowed = use.clone();
    AmountVectors.subtract(borrowed, covered);
    return borrowed;
  }

  /** Counts amounts against the limits of this queue and of all queues above. */
  void charge(long[] amounts, int sign) {
    for (QueueNode node = this; node != null; node = node.parent) {
      for (int i = 0; i < amounts.length; i++) {
        node.charged[i] += sign * amounts[i];
      }
    }
  }

  /** Counts the use of a pod of the subtree here and in all queues above. */
  void add(PodShare share) {
    for (QueueNode node = this; node.parent != null; node = node.parent) {
      node.addHere(share);
    }
  }

  /** Removes what {@link #add} has counted. */
  void remove(PodShare share) {
    for (QueueNode node = this; node.parent != null; node = node.parent) {
      node.removeHere(share);
    }
  }

  private void addHere(PodShare share) {
    pods++;
    AmountVectors.add(use, share.amounts);
    boolean isConcerned = guarantee.concerns(share.amounts);
    for (int i = 0; isConcerned && i < smallest.length; i++) {
      smallest[i] = Math.min(smallest[i], share.amounts[i]);
    }
    if (share.coveredAt <= depth) {
      rest.add(share);
    }
    if (isStale || (guarantee.isNothing() && isLeaf())) {
      return;
    }
    boolean fits = guarantee.hasRoomFor(share.amounts, covered);
    if (share.coveredAt > depth) {
      // What the guarantee did not cover before, it does not cover with less room.
      if (mine.isEmpty() || fits) {
        AmountVectors.add(covered, share.amounts);
      } else {
        becomeStale();
      }
    } else if (!guarantee.isNothing() && isConcerned) {
      if (fits) {
        cover(share); // as if it had come last: all pods that are covered stay so
      } else if (fitsBefore(share)) {
        becomeStale();
      }
    }
  }

  /** Returns whether the pod fits beside the covered ones without those that come later. */
  private boolean fitsBefore(PodShare share) {
    long[] before = covered.clone();
    mine.tailSet(share).forEach(later -> AmountVectors.subtract(before, later.amounts));
    return guarantee.covers(share.amounts, before);
  }

  private void removeHere(PodShare share) {
    boolean isLast = !rest.isEmpty() && rest.last() == share;
    pods--;
    AmountVectors.subtract(use, share.amounts);
    rest.remove(share);
    mine.remove(share);
    if (isStale || share.coveredAt < depth || (guarantee.isNothing() && isLeaf())) {
      return;
    }
    boolean allCovered = rest.size() == mine.size();
    if (guarantee.isNothing() || allCovered || (share.coveredAt == depth && isLast)) {
      AmountVectors.subtract(covered, share.amounts);
    } else {
      becomeStale();
    }
  }

  private void cover(PodShare share) {
    AmountVectors.add(covered, share.amounts);
    mine.add(share);
    setCoveredAt(share, depth);
  }

  /** Records the depth of the queue that covers a pod; queues above do not have to. */
  private void setCoveredAt(PodShare share, int coveredAt) {
    int before = share.coveredAt;
    share.coveredAt = coveredAt;
    for (QueueNode node = parent; node != null && node.depth > 0; node = node.parent) {
      if (coveredAt > node.depth) {
        node.rest.remove(share);
        node.mine.remove(share);
      } else if (before > node.depth) {
        node.rest.add(share);
      }
    }
  }

  private void becomeStale() {
    for (QueueNode node = this; node != null && !node.isStale; node = node.parent) {
      node.isStale = true;
    }
  }

  /** Determines the covered pods again if they are not known. */
  private void refresh() {
    if (!isStale) {
      return;
    }
    Arrays.fill(covered, 0);
    for (QueueNode child : children) {
      child.refresh();
      AmountVectors.add(covered, child.covered);
    }
    List<PodShare> before = List.copyOf(mine);
    mine.clear();
    for (PodShare share : rest) {
      if (guarantee.isExhausted(smallest, covered)) {
        break;
      }
      if (guarantee.covers(share.amounts, covered)) {
        AmountVectors.add(covered, share.amounts);
        mine.add(share);
      }
    }
    mine.forEach(share -> setCoveredAt(share, depth));
    for (PodShare share : before) {
      if (share.coveredAt == depth && !mine.contains(share)) {
        setCoveredAt(share, 0);
      }
    }
    isStale = false;
  }

  /**
   * Returns whether the guarantee would cover a waiting unit of the subtree beside all pods that
   * come before it: it starts after all others. What the unit has reserved does not count twice.
   */
  boolean wouldCover(UnitShare unit) {
    return wouldCover(unit, NOTHING);
  }

  /** Returns whether the guarantee would cover a waiting unit also beside these amounts. */
  boolean wouldCover(UnitShare unit, long[] beside) {
    if (unit.leaf().depth > depth && unit.leaf().at(depth + 1).wouldCover(unit, beside)) {
      return true;
    }
    if (guarantee.isNothing() || !guarantee.concerns(unit.amounts())) {
      return false;
    }
    refresh();
    long[] taken = coveredDownTo(unit.priority());
    if (beside.length > 0) {
      taken = taken.clone();
      AmountVectors.addUpToLargest(taken, beside);
    }
    return coversBeside(taken, unit);
  }

  /**
   * Returns whether the guarantee has room left for a waiting unit of the subtree beside all pods
   * that it covers, also those of lower priority.
   */
  boolean hasRoomFor(UnitShare unit) {
    if (guarantee.isNothing() || !guarantee.concerns(unit.amounts())) {
      return false;
    }
    refresh();
    return coversBeside(covered, unit);
  }

  private boolean coversBeside(long[] others, UnitShare unit) {
    long[] taken = others;
    if (!unit.reserved().isEmpty()) {
      taken = taken.clone();
      AmountVectors.subtract(taken, unit.reservedIf(share -> share.coveredAt >= depth));
    }
    return guarantee.covers(unit.amounts(), taken);
  }

  /** Returns whether the guarantee of a queue above this one covers the pod. */
  boolean isCoveredAbove(PodShare share) {
    if (parent == null) {
      return false;
    }
    refresh();
    at(1).refresh();
    return share.coveredAt > 0 && share.coveredAt < depth;
  }

  /**
   * Returns whether the guarantee would cover a unit in place of pods that no guarantee of a child
   * covers.
   *
   * @param victims the pods of the subtree that would be gone
   */
  boolean wouldCoverWithout(Collection<PodShare> victims, UnitShare unit) {
    if (!guarantee.concerns(unit.amounts())) {
      return false;
    }
    refresh();
    long[] taken = new long[use.length];
    children.forEach(child -> AmountVectors.add(taken, child.covered));
    AmountVectors.subtract(taken, unit.reservedIf(share -> share.coveredAt > depth));
    for (PodShare share : rest) {
      if (share.priority < unit.priority()) {
        break;
      }
      if (!victims.contains(share)
          && !unit.reserved().contains(share)
          && guarantee.covers(share.amounts, taken)) {
        AmountVectors.add(taken, share.amounts);
      }
    }
    return guarantee.covers(unit.amounts(), taken);
  }

  /** Returns the covered use without that of pods of lower priority that only this queue covers. */
  private long[] coveredDownTo(int lowest) {
    if (mine.isEmpty() || mine.last().priority >= lowest) {
      return covered;
    }
    long[] above = covered.clone();
    for (PodShare share : mine.descendingSet()) {
      if (share.priority >= lowest) {
        break;
      }
      AmountVectors.subtract(above, share.amounts);
    }
    return above;
  }

  /**
   * Returns the weighted share of what the queue borrows: the largest part of the capacity in any
   * resource, by its weight.
   *
   * @param more added to what it borrows
   * @param less subtracted from what it borrows
   * @param capacity the amounts that all queues share
   */
  double share(long[] more, long[] less, long[] capacity) {
    refresh();
    double largest = 0;
    for (int i = 0; i < capacity.length; i++) {
      long borrowed = use[i] - covered[i] + more[i] - less[i];
      if (borrowed > 0 && capacity[i] != Capacity.UNKNOWN) {
        double part =
            capacity[i] > 0 ? (double) borrowed / capacity[i] / weight : Double.POSITIVE_INFINITY;
        largest = Math.max(largest, part);
      }
    }
    return largest;
  }

  /** Returns whether the limit leaves room for a request beside what is charged. */
  boolean allows(long[] request, long[] own) {
    for (int i = 0; i < limit.length; i++) {
      if (request[i] > 0
          && limit[i] != CountedResources.UNLIMITED
          && request[i] > limit[i] - charged[i] + own[i]) {
        return false;
      }
    }
    return true;
  }

  @Override
  public String toString() {
    return name;
  }
}
