package io.berth.engine.quota;

import io.berth.engine.api.QueueState;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.queue.QueuePlace;
import io.berth.engine.queue.SchedulingQueue.Queued;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.SchedulingUnit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** The states of all queues at one time. */
final class QueueReport {
  /**
   * By priority; of equal units, always the same one is first. The order of arrival changes with
   * each attempt, so a status with the first by arrival would be written all the time.
   */
  private static final Comparator<Queued<SchedulingUnit>> FIRST =
      Comparator.comparingInt((Queued<SchedulingUnit> queued) -> queued.unit().priority())
          .reversed()
          .thenComparing(queued -> queued.unit().key());

  /** The waiting units in the subtree of a queue. */
  private static final class Waiting {
    final long[] requested;

    /** The part of it that does not count as use yet. */
    final long[] lacking;

    int pods;
    int groups;
    boolean isOwed;
    @Nullable Queued<SchedulingUnit> first;

    Waiting(int resources) {
      this.requested = new long[resources];
      this.lacking = new long[resources];
    }
  }

  /** The filters that reject nodes whose resources, cards, or devices are in use. */
  private static final Set<String> ROOM =
      Set.of("NodeResourcesFit", "GpuCards", "DynamicResources");

  private final Quotas quotas;
  private final CountedResources resources;
  private final Capacity capacity;
  private final IdentityHashMap<QueueNode, Waiting> waiting = new IdentityHashMap<>();
  private Map<QueueNode, long[]> fairShares = Map.of();
  private Map<QueueNode, long[]> lent = Map.of();

  QueueReport(Quotas quotas, CountedResources resources, Capacity capacity) {
    this.quotas = quotas;
    this.resources = resources;
    this.capacity = capacity;
  }

  /**
   * Returns the states.
   *
   * @param units all units
   */
  List<QueueState> of(QueueTree queues, List<Queued<SchedulingUnit>> units) {
    units.forEach(this::count);
    QueueNode root = queues.root();
    fairShares = FairShares.of(root, capacity.amounts(), leaf -> waitingIn(leaf).lacking);
    lent = LentAmounts.of(root, capacity.amounts());
    return queues.all().stream().map(this::stateOf).toList();
  }

  private void count(Queued<SchedulingUnit> queued) {
    if (queued.place() != QueuePlace.ACTIVE
        && queued.place() != QueuePlace.BACKOFF
        && queued.place() != QueuePlace.UNSCHEDULABLE) {
      return;
    }
    QueueNode leaf = quotas.leafOf(queued.unit());
    if (leaf == null) {
      return;
    }
    // What is owed to a queue is owed to all above, so one unit of each queue decides.
    UnitShare needs =
        lacksRoom(queued) && !waitingIn(leaf).isOwed ? quotas.needsOf(queued.unit()) : null;
    List<PodEntry> pods = Holds.podsOf(queued.unit());
    long[] requested = quotas.requestedBy(pods);
    long[] lacking = requested.clone();
    AmountVectors.subtract(lacking, quotas.countedOf(pods));
    boolean isOwed = false;
    for (QueueNode node = leaf; node.parent != null; node = node.parent) {
      Waiting here = waitingIn(node);
      AmountVectors.addUpToLargest(here.requested, requested);
      AmountVectors.addUpToLargest(here.lacking, lacking);
      here.pods += pods.size();
      here.groups += queued.unit() instanceof GroupEntry ? 1 : 0;
      isOwed |= needs != null && !here.isOwed && node.hasRoomFor(needs);
      here.isOwed |= isOwed;
      if (here.first == null || FIRST.compare(queued, here.first) < 0) {
        here.first = queued;
      }
    }
  }

  private Waiting waitingIn(QueueNode node) {
    return waiting.computeIfAbsent(node, absent -> new Waiting(resources.size()));
  }

  /**
   * Returns whether the last attempt failed for lack of what guarantees give back. What its queue
   * holds is not owed, nor is a unit that waits for something else, such as a volume.
   */
  private static boolean lacksRoom(Queued<SchedulingUnit> queued) {
    return !queued.rejectedBy().contains(Quotas.PLUGIN)
        && queued.rejectedBy().stream().anyMatch(ROOM::contains);
  }

  private QueueState stateOf(QueueNode node) {
    Waiting here = waitingIn(node);
    return new QueueState(
        node.name,
        node.parent == null ? "" : node.parent.name,
        node.pods(),
        named(node.use),
        named(node.borrowed()),
        known(lent.getOrDefault(node, capacity.nothing())),
        known(fairShares.getOrDefault(node, capacity.nothing())),
        node.share(capacity.nothing(), capacity.nothing(), capacity.amounts()),
        !here.isOwed,
        new QueueState.Pending(
            here.pods,
            here.groups,
            named(here.requested),
            here.first == null ? "" : why(here.first)));
  }

  private ResourceAmounts named(long[] amounts) {
    return named(amounts, i -> true);
  }

  private ResourceAmounts known(long[] amounts) {
    return named(amounts, i -> capacity.amounts()[i] != Capacity.UNKNOWN);
  }

  private ResourceAmounts named(long[] amounts, IntPredicate isShown) {
    Map<String, Long> named = new HashMap<>();
    for (int i = 0; i < amounts.length; i++) {
      if (isShown.test(i)) {
        named.put(resources.name(i), amounts[i]);
      }
    }
    return ResourceAmounts.of(named);
  }

  /** Returns why a unit waits, without the names of its pods, which others may not know. */
  private String why(Queued<SchedulingUnit> queued) {
    return quotas.holdOfFirst(queued.unit()).orElseGet(() -> rejection(queued.rejectedBy()));
  }

  private static String rejection(Set<String> rejectedBy) {
    if (rejectedBy.isEmpty()) {
      return "it is tried next or again soon";
    }
    Set<String> plugins = new TreeSet<>(rejectedBy);
    boolean requestsNone = plugins.remove(Quotas.NODE_REQUESTS);
    return "it does not fit on the nodes: rejected by "
        + String.join(", ", plugins)
        + (requestsNone ? "; and no node is requested for it" : "");
  }
}
