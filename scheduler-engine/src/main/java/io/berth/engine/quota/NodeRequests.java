package io.berth.engine.quota;

import io.berth.engine.quantity.Saturated;
import io.berth.engine.state.SchedulingUnit;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The waiting units that request nodes from cluster autoscalers. Units of a queue do so only as far
 * as its limits admit them when the nodes are there: the limits of the queue and of those above,
 * beside what uses resources now, and the units of the same queue with the same or a higher
 * priority that request nodes already. The others wait behind them, and take their places when
 * these are placed or gone, or have requested nodes in vain for {@link #TURN}. Where nodes are not
 * requested for borrowed use, the guarantee counts like a limit.
 *
 * <p>Units of other queues are not counted: those that no node can hold would keep others from
 * getting nodes. So the units of several queues may together request more than the limit of their
 * parent admits.
 */
final class NodeRequests {
  /**
   * The time after which a unit gives its place to those behind it: that for which the Cluster
   * Autoscaler waits for a node that it has bought, {@code --max-node-provision-time}.
   */
  static final Duration TURN = Duration.ofMinutes(15);

  /** The number of units behind a unit whose turn is over that are tried in its place. */
  private static final int MOST_TRIED = 100;

  /** The reasons why a unit does not request nodes. */
  enum Obstacle {
    /** Others of its queue request as much as the limit of a queue admits. */
    LIMIT,
    /** The guarantee of a queue without {@link QueueNode#scaleUp} does not cover it beside them. */
    BORROWS,
    /** It has requested nodes for its turn, and others wait for theirs. */
    TURN_OVER
  }

  /**
   * The answer to a unit that would request nodes.
   *
   * @param obstacle the reason why it does not; empty if it does
   * @param frees whether others may take the place that it had
   */
  record Answer(Optional<Obstacle> obstacle, boolean frees) {}

  /** A unit that requests nodes. */
  private record Request(SchedulingUnit unit, UnitShare needs, Instant since) {
    QueueNode leaf() {
      return needs.leaf();
    }

    /** Returns the i-th amount that nothing else counts: reserved amounts are in use already. */
    long amount(int i) {
      return Math.max(0, needs.amounts()[i] - needs.own()[i]);
    }
  }

  /** The requests of one priority. */
  private static final class Sum {
    final long[] amounts;
    int units;

    Sum(int resources) {
      this.amounts = new long[resources];
    }
  }

  /** The requests of the units of one queue. */
  private static final class OfQueue {
    final TreeMap<Integer, Sum> sums = new TreeMap<>();

    /** The units that the others keep from requesting nodes, by key, the first ones first. */
    final Map<String, SchedulingUnit> behind = new LinkedHashMap<>();

    void add(Request request, int sign) {
      int priority = request.needs().priority();
      Sum sum = sums.computeIfAbsent(priority, absent -> new Sum(request.needs().amounts().length));
      sum.units += sign;
      for (int i = 0; i < sum.amounts.length; i++) {
        sum.amounts[i] =
            sign > 0
                ? Saturated.sum(sum.amounts[i], request.amount(i))
                : Math.max(0, sum.amounts[i] - request.amount(i));
      }
      if (sum.units == 0) {
        sums.remove(priority);
      }
    }
  }

  private final Function<SchedulingUnit, @Nullable UnitShare> needsOf;
  private final Map<String, Request> requests = new HashMap<>();
  private final Map<QueueNode, OfQueue> queues = new HashMap<>();
  private final Map<String, QueueNode> queueOfBehind = new HashMap<>();

  /** The keys of waiting units that have had a turn: others of any priority come first. */
  private final Set<String> hadTurn = new HashSet<>();

  /**
   * @param needsOf returns what a unit needs; null if it belongs to no queue
   */
  NodeRequests(Function<SchedulingUnit, @Nullable UnitShare> needsOf) {
    this.needsOf = needsOf;
  }

  /** Handles that no node has room for a unit: it requests one from now on, unless it must not. */
  Answer request(SchedulingUnit unit, Instant now) {
    String key = unit.key();
    Request before = end(key);
    UnitShare needs = needsOf.apply(unit);
    if (needs == null || !isConstrained(needs)) {
      return new Answer(Optional.empty(), before != null);
    }
    QueueNode leaf = needs.leaf();
    boolean stays = before != null && before.leaf() == leaf;
    if (stays && !now.isBefore(before.since().plus(TURN)) && helpsOthers(leaf)) {
      hadTurn.add(key);
      return new Answer(Optional.of(Obstacle.TURN_OVER), true);
    }
    Optional<Obstacle> obstacle = obstacle(key, needs);
    if (obstacle.isPresent()) {
      of(leaf).behind.put(key, unit);
      queueOfBehind.put(key, leaf);
      return new Answer(obstacle, before != null);
    }
    hadTurn.remove(key);
    put(new Request(unit, needs, stays ? before.since() : now));
    return new Answer(Optional.empty(), before != null && !stays);
  }

  /** Returns whether a unit that waits behind others may request nodes now. */
  private boolean helpsOthers(QueueNode leaf) {
    return of(leaf).behind.values().stream().limit(MOST_TRIED).anyMatch(unit -> roomFor(unit) > 0);
  }

  private Optional<Obstacle> obstacle(String key, UnitShare needs) {
    long[] requested = requestedBeside(key, needs);
    if (isBorrowedWithoutNodes(needs, requested)) {
      return Optional.of(Obstacle.BORROWS);
    }
    return roomInLimits(needs, requested) < 1 ? Optional.of(Obstacle.LIMIT) : Optional.empty();
  }

  private void put(Request request) {
    requests.put(request.unit().key(), request);
    of(request.leaf()).add(request, 1);
  }

  private OfQueue of(QueueNode leaf) {
    return queues.computeIfAbsent(leaf, absent -> new OfQueue());
  }

  /**
   * Handles that a unit waits for something else, is placed, or is gone.
   *
   * @return whether it requested nodes
   */
  boolean endOf(String key) {
    if (isEmpty()) {
      return false;
    }
    hadTurn.remove(key);
    return end(key) != null;
  }

  private @Nullable Request end(String key) {
    QueueNode behindIn = queueOfBehind.remove(key);
    if (behindIn != null) {
      of(behindIn).behind.remove(key);
    }
    Request request = requests.remove(key);
    if (request != null) {
      of(request.leaf()).add(request, -1);
    }
    return request;
  }

  private boolean isEmpty() {
    return requests.isEmpty() && queueOfBehind.isEmpty() && hadTurn.isEmpty();
  }

  /** Moves all requests to the present queues, which have changed. */
  void queuesChanged() {
    List<Request> all = List.copyOf(requests.values());
    clear();
    for (Request old : all) {
      UnitShare needs = needsOf.apply(old.unit());
      if (needs != null && isConstrained(needs)) {
        put(new Request(old.unit(), needs, old.since()));
      }
    }
  }

  /** Forgets all requests. */
  void clear() {
    requests.clear();
    queues.clear();
    queueOfBehind.clear(); // these units are tried again, as queues have changed
    hadTurn.clear();
  }

  /** Returns how many units with the same needs may request nodes, beside those that do. */
  int roomFor(SchedulingUnit unit) {
    UnitShare needs = needsOf.apply(unit);
    if (needs == null) {
      return Integer.MAX_VALUE;
    }
    long[] requested = requestedBeside(unit.key(), needs);
    return isBorrowedWithoutNodes(needs, requested) ? 0 : roomInLimits(needs, requested);
  }

  private static boolean isBorrowedWithoutNodes(UnitShare needs, long[] requested) {
    for (QueueNode node = needs.leaf(); node != null; node = node.parent) {
      if (!node.scaleUp && !node.wouldCover(needs, requested)) {
        return true;
      }
    }
    return false;
  }

  private static int roomInLimits(UnitShare needs, long[] requested) {
    long room = Integer.MAX_VALUE;
    for (QueueNode node = needs.leaf(); node != null; node = node.parent) {
      for (int i = 0; i < node.limit.length; i++) {
        if (isLimited(node, needs, i)) {
          long used = Saturated.sum(node.charged[i] - needs.own()[i], requested[i]);
          room = Math.min(room, Math.max(0, node.limit[i] - used) / needs.amounts()[i]);
        }
      }
    }
    return (int) room;
  }

  /** Returns the sums of the requests that come before that of a unit of the same queue. */
  private long[] requestedBeside(String key, UnitShare needs) {
    long[] sum = new long[needs.amounts().length];
    int lowest = hadTurn.contains(key) ? Integer.MIN_VALUE : needs.priority();
    of(needs.leaf())
        .sums
        .tailMap(lowest)
        .values()
        .forEach(some -> AmountVectors.addUpToLargest(sum, some.amounts));
    return sum;
  }

  private static boolean isConstrained(UnitShare needs) {
    for (QueueNode node = needs.leaf(); node != null; node = node.parent) {
      if (!node.scaleUp) {
        return true;
      }
      for (int i = 0; i < node.limit.length; i++) {
        if (isLimited(node, needs, i)) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isLimited(QueueNode node, UnitShare needs, int i) {
    return node.limit[i] != CountedResources.UNLIMITED && needs.amounts()[i] > 0;
  }
}
