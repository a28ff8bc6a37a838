package io.berth.engine.quota;

import io.berth.engine.api.GroupState;
import io.berth.engine.api.QueueState;
import io.berth.engine.model.QueueDialect;
import io.berth.engine.model.QueueModel;
import io.berth.engine.queue.Nominations;
import io.berth.engine.queue.QueueOrder;
import io.berth.engine.queue.SchedulingQueue;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.SchedulingUnit;
import io.berth.engine.state.UseListener;
import java.time.Instant;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The queues of tenants: counts what their pods use, chooses the next unit, holds units that must
 * not start, and decides which pods give way. Without any queue, it does nothing.
 *
 * <p>Use consists of bound, assumed, and nominated pods. A pod that leaves, because it is
 * terminating or was selected as a victim, counts against limits alone. Every change of use is made
 * and undone by looking at the pod again, so it is undone with what caused it.
 */
public final class Quotas implements QueueOrder<SchedulingUnit>, UseListener {
  /** The name in place of a plugin if a unit is held by its queue. */
  public static final String PLUGIN = "SchedulingQueue";

  /** In place of a plugin that rejected a unit: it must not request nodes from autoscalers now. */
  public static final String NODE_REQUESTS = "SchedulingQueueNodeRequests";

  /** The lowest priority of pods that belong to no queue. */
  public static final int SYSTEM_PRIORITY = 2_000_000_000;

  private static final Object OUTSIDE = new Object();

  private final ClusterState state;
  private final Nominations nominations;
  private final QueueMembership membership;
  private final Map<String, QueueModel> models = new TreeMap<>();
  private final IdentityHashMap<PodEntry, PodShare> shares = new IdentityHashMap<>();

  /** Null while there is no queue. */
  private @Nullable QueueTree tree;

  private final NodeRequests nodeRequests;
  private @Nullable Holds holds;
  private List<QueueNode> leaves = List.of();
  private PodAmounts amounts;
  private Capacity capacity;
  private NextUnit nextUnit;
  private @Nullable SchedulingUnit firstOutside;
  private @Nullable Reclaim lastReclaim;
  private @Nullable PodEntry lastPreemptor;
  private long version;

  /** Creates the quotas of a cluster without queues. */
  public Quotas(ClusterState state, Nominations nominations) {
    this.state = state;
    this.nominations = nominations;
    this.membership = new QueueMembership(state);
    CountedResources none = CountedResources.of(List.of());
    this.amounts = new PodAmounts(none, state.devices());
    this.capacity = new Capacity(state.nodes(), none, QueueMembership::isOutside, this.amounts::of);
    this.nextUnit = new NextUnit(this::needsOf, capacity);
    this.nodeRequests = new NodeRequests(this::needsOf);
    nominations.listen(
        uid -> {
          PodEntry pod = tree == null ? null : state.pods().byUid(uid);
          if (pod != null) {
            useChanged(pod);
          }
        });
  }

  /** Returns whether there is any queue. */
  public boolean areUsed() {
    return tree != null;
  }

  /** Returns a version that changes with the use or rules of any queue. */
  public long version() {
    return version;
  }

  // ---------------------------------------------------------------------------------- the queues

  /**
   * Adds or updates a queue; returns whether this changed more than its past share, which changes
   * often, and neither moves pods nor releases units that are held.
   */
  public boolean put(QueueModel queue) {
    QueueModel before = models.put(queue.name(), queue);
    if (before != null && before.withPastShare(queue.pastShare()).equals(queue)) {
      if (before.pastShare() != queue.pastShare()) {
        queues().setPastShare(queue);
        forgetReclaim();
        version++;
      }
      return false;
    }
    rebuild();
    return true;
  }

  /** Removes a queue; returns whether it was known. */
  public boolean remove(String name) {
    boolean changed = models.remove(name) != null;
    if (changed) {
      rebuild();
    }
    return changed;
  }

  /** Counts pods in the queues of a dialect; returns whether they were not counted before. */
  public boolean serve(QueueDialect dialect) {
    boolean changed = membership.serve(dialect);
    if (changed && tree != null) {
      rebuild();
    }
    return changed;
  }

  /** Handles groups that have members from now on. */
  public void groupsChanged() {
    if (tree != null) {
      rebuild();
    }
  }

  /** Handles changed labels of a namespace; returns whether its pods may change queues. */
  public boolean namespaceChanged(
      String namespace, Map<String, String> before, Map<String, String> after) {
    boolean changes = tree != null && !tree.isUnchanged(namespace, before, after);
    if (changes) {
      rebuild();
    }
    return changes;
  }

  /** Handles a node that was added, changed, or removed. */
  public void nodesChanged() {
    if (tree != null) {
      capacity.becomeStale();
      NextUnit.allChanged(tree.root());
      forgetReclaim();
      version++;
    }
  }

  /** Returns whether queues count devices of resource claims. */
  public boolean countDevices() {
    return tree != null && tree.resources().countDevices();
  }

  /** Handles a claim for devices that was created, changed, or removed, of these pods. */
  public void claimChanged(List<PodEntry> pods) {
    if (countDevices()) {
      for (PodEntry pod : pods) {
        useChanged(pod);
        QueueNode leaf = leafOf(pod);
        if (leaf != null) {
          NextUnit.changed(leaf); // the pod may be the first that waits there
        }
      }
      forgetReclaim();
      version++;
    }
  }

  private void rebuild() {
    state.journal().requireClosed("a change of queues");
    shares.clear();
    forgetReclaim();
    firstOutside = null;
    version++;
    if (models.isEmpty()) {
      tree = null;
      holds = null;
      leaves = List.of();
      nodeRequests.clear();
      state.listenToUse(UseListener.NONE);
      state.displaceByPriority();
      return;
    }
    QueueTree next = new QueueTree(models.values());
    tree = next;
    holds = new Holds(state, membership, next, this::needsOf);
    leaves = next.all().stream().filter(QueueNode::isLeaf).toList();
    amounts = new PodAmounts(next.resources(), state.devices());
    capacity =
        new Capacity(state.nodes(), next.resources(), QueueMembership::isOutside, amounts::of);
    nextUnit = new NextUnit(this::needsOf, capacity);
    state.pods().all().forEach(this::useChanged);
    nodeRequests.queuesChanged();
    state.listenToUse(this);
    state.displaceBy(new QuotaOrder(state, this));
  }

  // ---------------------------------------------------------------------------------- membership

  /** Returns the queue in which the pod counts; null if it belongs to none, or there are none. */
  @Nullable QueueNode leafOf(PodEntry pod) {
    return tree == null ? null : membership.leafOf(tree, pod);
  }

  /** Returns the queue in which a waiting unit counts; null if it belongs to none. */
  @Nullable QueueNode leafOf(SchedulingUnit unit) {
    PodEntry pod = firstOf(unit);
    return pod == null ? null : leafOf(pod);
  }

  /** Returns what decides the queue of a waiting unit; units with different values differ. */
  public Object queueOf(SchedulingUnit unit) {
    QueueNode leaf = leafOf(unit);
    return leaf == null ? OUTSIDE : leaf;
  }

  /** Returns the name of the queue in which the pod counts; empty if it belongs to none. */
  public Optional<String> queueNameOf(PodEntry pod) {
    return Optional.ofNullable(leafOf(pod)).map(leaf -> leaf.name);
  }

  private static @Nullable PodEntry firstOf(SchedulingUnit unit) {
    return switch (unit) {
      case PodEntry pod -> pod;
      case GroupEntry group -> group.waiting().isEmpty() ? null : group.waiting().iterator().next();
    };
  }

  // ---------------------------------------------------------------------------------- use

  @Override
  public void useChanged(PodEntry pod) {
    QueueTree queues = tree;
    if (queues == null) {
      return;
    }
    PodShare before = shares.get(pod);
    boolean uses = pod.occupies() || nominations.nodeOf(pod.key()).isPresent();
    if (!uses && before == null) {
      return;
    }
    QueueNode leaf = leafOf(pod);
    long[] requested = amounts.of(pod);
    boolean counts = !pod.leaves();
    if (uses && before != null && before.isCurrent(leaf, requested, counts)) {
      return;
    }
    if (before != null) {
      shares.remove(pod);
      count(before, -1);
    }
    if (uses) {
      PodShare share = new PodShare(pod, leaf, requested, counts);
      shares.put(pod, share);
      count(share, 1);
    }
    forgetReclaim();
    version++;
  }

  private void count(PodShare share, int sign) {
    QueueNode leaf = share.leaf;
    if (leaf == null) {
      capacity.becomeStale();
      NextUnit.allChanged(queues().root());
      return;
    }
    leaf.charge(share.amounts, sign);
    if (share.counts && sign > 0) {
      leaf.add(share);
    } else if (share.counts) {
      leaf.remove(share);
    }
    NextUnit.changed(leaf);
  }

  private QueueTree queues() {
    QueueTree queues = tree;
    if (queues == null) {
      throw new IllegalStateException("there are no queues");
    }
    return queues;
  }

  @Nullable PodShare shareOf(PodEntry pod) {
    return shares.get(pod);
  }

  /** Returns what the unit needs of its queue; null if it belongs to none. */
  @Nullable UnitShare needsOf(SchedulingUnit unit) {
    PodEntry first = firstOf(unit);
    QueueNode leaf = first == null ? null : leafOf(first);
    if (first == null || leaf == null) {
      return null;
    }
    return switch (unit) {
      case PodEntry pod ->
          new UnitShare(leaf, amounts.of(pod), reservedOf(List.of(pod)), pod.priority());
      case GroupEntry group -> {
        List<PodEntry> members = new ArrayList<>();
        group.ready().forEach(members::addAll);
        List<long[]> requests = members.stream().map(amounts::of).toList();
        yield new UnitShare(
            leaf,
            UnitShare.largest(requests, UnitShare.lackedBy(group), queues().resources().size()),
            reservedOf(members),
            members.stream().mapToInt(PodEntry::priority).min().orElse(first.priority()));
      }
    };
  }

  private List<PodShare> reservedOf(List<PodEntry> pods) {
    return pods.stream().map(shares::get).filter(Objects::nonNull).toList();
  }

  /** Returns the sum of what the pods request. */
  long[] requestedBy(List<PodEntry> pods) {
    long[] sum = new long[queues().resources().size()];
    pods.forEach(pod -> AmountVectors.addUpToLargest(sum, amounts.of(pod)));
    return sum;
  }

  /** Returns the part of it that counts as use already, because the pods are nominated. */
  long[] countedOf(List<PodEntry> pods) {
    long[] sum = new long[queues().resources().size()];
    reservedOf(pods).forEach(share -> AmountVectors.add(sum, share.amounts));
    return sum;
  }

  // ---------------------------------------------------------------------------------- holding

  /** Returns the user-visible reason why the unit must not start now; empty if it may. */
  public Optional<String> heldBy(SchedulingUnit unit) {
    forgetReclaim(); // every attempt begins here, and the unit may have changed since the last one
    return holds == null ? Optional.empty() : holds.of(unit);
  }

  /** Returns why the first unit of a queue is held, in words that change with its queue alone. */
  Optional<String> holdOfFirst(SchedulingUnit unit) {
    return holds == null ? Optional.empty() : holds.ofFirst(unit);
  }

  /** Returns the number of units with the same needs that may start as far as limits decide. */
  public int roomFor(SchedulingUnit unit) {
    UnitShare needs = needsOf(unit);
    return needs == null ? Integer.MAX_VALUE : Holds.roomFor(needs);
  }

  // ---------------------------------------------------------------------------------- nodes

  /**
   * The answer to a unit that has no room, and would request nodes from cluster autoscalers.
   *
   * @param why the reason why it does not, for its owner; empty if it does
   * @param waits whether it waits for others that request nodes
   * @param frees whether others may take the place that it had among those
   */
  public record NodeRequest(Optional<String> why, boolean waits, boolean frees) {}

  /** Handles that no node has room for a unit. */
  public NodeRequest requestNodes(SchedulingUnit unit, Instant now) {
    QueueNode leaf = leafOf(unit);
    if (leaf == null) {
      return new NodeRequest(Optional.empty(), false, nodeRequests.endOf(unit.key()));
    }
    NodeRequests.Answer answer = nodeRequests.request(unit, now);
    return new NodeRequest(
        answer.obstacle().map(obstacle -> QueueText.noRequest(leaf, obstacle)),
        answer.obstacle().filter(why -> why != NodeRequests.Obstacle.TURN_OVER).isPresent(),
        answer.frees());
  }

  /**
   * Handles that a unit is placed, waits for something other than nodes, or is gone. Returns
   * whether it requested nodes.
   */
  public boolean requestsNoNodes(String key) {
    return nodeRequests.endOf(key);
  }

  /** Returns the number of units like this one that may request nodes, beside those that do. */
  public int roomForNodeRequests(SchedulingUnit unit) {
    return nodeRequests.roomFor(unit);
  }

  // ---------------------------------------------------------------------------------- the order

  @Override
  public Object heapOf(SchedulingUnit unit) {
    return queueOf(unit);
  }

  @Override
  public void headChanged(Object heap, @Nullable SchedulingUnit first) {
    if (heap instanceof QueueNode leaf) {
      leaf.next.head = first;
      NextUnit.changed(leaf);
    } else {
      firstOutside = first;
    }
  }

  @Override
  public void waitingChanged(Object heap, int priority, int change) {
    if (heap instanceof QueueNode leaf) {
      WaitingCounts.count(leaf, priority, change);
    }
  }

  @Override
  public @Nullable Object next() {
    return firstOutside != null ? OUTSIDE : nextUnit.of(queues().root());
  }

  // ---------------------------------------------------------------------------------- giving way

  private void forgetReclaim() {
    lastReclaim = null;
    lastPreemptor = null;
  }

  /** Returns the rights of a preemptor, with its group; null if it belongs to no queue. */
  @Nullable Reclaim reclaimFor(PodEntry preemptor) {
    if (preemptor != lastPreemptor) {
      SchedulingUnit unit =
          state
              .groups()
              .of(preemptor)
              .filter(group -> group.model().isPresent() && !group.isMet())
              .<SchedulingUnit>map(group -> group)
              .orElse(preemptor);
      UnitShare needs = needsOf(unit);
      lastReclaim = needs == null ? null : new Reclaim(needs, capacity, shares::get);
      lastPreemptor = preemptor;
    }
    return lastReclaim;
  }

  /** Returns whether evictions may help a unit that is not held. */
  public boolean mayReclaim(SchedulingUnit unit) {
    PodEntry first = firstOf(unit);
    return first != null && heldBy(unit).isEmpty() && state.evictionOrder().mayHaveVictims(first);
  }

  /**
   * Returns the states of groups, with the reasons why the pods of some of them must not be created
   * yet.
   */
  public List<GroupState> admit(List<GroupState> groups) {
    return tree == null || !membership.serves(QueueDialect.VOLCANO)
        ? groups
        : new GroupAdmissions(state, tree).of(groups);
  }

  /** Returns all leaves. */
  List<QueueNode> leaves() {
    return leaves;
  }

  /**
   * Returns the states of all queues, each after its parent.
   *
   * @param units all units of the scheduling queue in the order of arrival
   */
  public List<QueueState> states(List<SchedulingQueue.Queued<SchedulingUnit>> units) {
    QueueTree queues = tree;
    return queues == null
        ? List.of()
        : new QueueReport(this, queues.resources(), capacity).of(queues, units);
  }
}
