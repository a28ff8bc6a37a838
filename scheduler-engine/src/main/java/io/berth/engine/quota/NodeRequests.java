package io.berth.engine.quota;

import io.berth.engine.quantity.Saturated;
import io.berth.engine.state.SchedulingUnit;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
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

  /** The reasons why a unit does not request nodes. */
  enum Obstacle {
    /** Others of its queue request as much as the limit of a queue admits. */
    LIMIT,
    /** The guarantee of a queue without {@link QueueNode#scaleUp} does not cover it beside them. */
    BORROWS,
    /** It has requested nodes for its turn, and others wait for theirs. */
    TURN_OVER
  }

  /** A unit that requests nodes. */
  private record Request(UnitShare needs, Instant since) {
    QueueNode leaf() {
      return needs.leaf();
    }

    int priority() {
      return needs.priority();
    }
  }

  /** The requests of the units of one queue. */
  private static final class OfQueue {
    /** The sums of the requested amounts, by priority. */
    final TreeMap<Integer, long[]> sums = new TreeMap<>();

    /** The keys of units that are kept from requesting nodes by the others. */
    final Set<String> behind = new HashSet<>();
  }

  private final Function<SchedulingUnit, @Nullable UnitShare> needsOf;
  private final Map<String, Request> requests = new HashMap<>();
  private final Map<QueueNode, OfQueue> queues = new HashMap<>();
  private final Map<String, QueueNode> queueOfBehind = new HashMap<>();

  /**
   * @param needsOf returns what a unit needs; null if it belongs to no queue
   */
  NodeRequests(Function<SchedulingUnit, @Nullable UnitShare> needsOf) {
    this.needsOf = needsOf;
  }

  /**
   * Handles that no node has room for a unit. Returns what keeps it from requesting nodes; empty if
   * it requests them from now on.
   */
  Optional<Obstacle> request(SchedulingUnit unit, Instant now) {
    String key = unit.key();
    Request before = end(key);
    UnitShare needs = needsOf.apply(unit);
    if (needs == null || !isConstrained(needs)) {
      return Optional.empty();
    }
    QueueNode leaf = needs.leaf();
    OfQueue queue = queues.computeIfAbsent(leaf, absent -> new OfQueue());
    boolean turnOver =
        before != null
            && before.leaf() == leaf
            && !queue.behind.isEmpty()
            && !now.isBefore(before.since().plus(TURN));
    if (turnOver) {
      return Optional.of(Obstacle.TURN_OVER);
    }
    long[] requested = requestedFrom(leaf, needs.priority());
    if (isBorrowedWithoutNodes(needs, requested)) {
      wait(key, leaf);
      return Optional.of(Obstacle.BORROWS);
    }
    if (roomInLimits(needs, requested) < 1) {
      wait(key, leaf);
      return Optional.of(Obstacle.LIMIT);
    }
    Instant since = before == null ? now : before.since();
    requests.put(key, new Request(needs, since));
    long[] sum =
        queue.sums.computeIfAbsent(needs.priority(), absent -> new long[needs.amounts().length]);
    Amounts.add(sum, needs.amounts()); // within a limit
    return Optional.empty();
  }

  private void wait(String key, QueueNode leaf) {
    queues.computeIfAbsent(leaf, absent -> new OfQueue()).behind.add(key);
    queueOfBehind.put(key, leaf);
  }

  /** Handles that a unit waits for something else, is placed, or is gone. */
  void endOf(String key) {
    if (!isEmpty()) {
      end(key);
    }
  }

  /** Returns whether no unit requests nodes, or waits behind those that do. */
  boolean isEmpty() {
    return requests.isEmpty() && queueOfBehind.isEmpty();
  }

  /** Forgets all requests: queues have changed. */
  void clear() {
    requests.clear();
    queues.clear();
    queueOfBehind.clear();
  }

  private @Nullable Request end(String key) {
    QueueNode behindIn = queueOfBehind.remove(key);
    OfQueue behind = behindIn == null ? null : queues.get(behindIn);
    if (behind != null) {
      behind.behind.remove(key);
    }
    Request request = requests.remove(key);
    OfQueue queue = request == null ? null : queues.get(request.leaf());
    if (request != null && queue != null) {
      long[] sum = queue.sums.get(request.priority());
      if (sum != null) {
        Amounts.subtract(sum, request.needs().amounts());
        if (Amounts.isNothing(sum)) {
          queue.sums.remove(request.priority());
        }
      }
    }
    return request;
  }

  /** Returns how many units with the same needs may request nodes, beside those that do. */
  int roomFor(SchedulingUnit unit) {
    UnitShare needs = needsOf.apply(unit);
    if (needs == null) {
      return Integer.MAX_VALUE;
    }
    long[] requested = requestedFrom(needs.leaf(), needs.priority());
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

  private long[] requestedFrom(QueueNode leaf, int priority) {
    long[] sum = new long[leaf.limit.length];
    OfQueue queue = queues.get(leaf);
    if (queue != null) {
      queue.sums.tailMap(priority).values().forEach(some -> Amounts.addUpToLargest(sum, some));
    }
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
