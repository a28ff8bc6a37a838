package io.berth.engine;

import io.berth.engine.model.PodModel;
import io.berth.engine.model.QueueModel;
import io.berth.engine.model.ResourceAmounts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The rules of docs/queues.md, computed from nothing each time: what guarantees cover, what is
 * borrowed, and the shares. All pods are of the namespace with the name of their queue.
 */
final class QueueOracle {
  static final List<String> RESOURCES = List.of("cpu", "example.com/gpu", "memory");

  private final Map<String, QueueModel> queues = new TreeMap<>();
  private final long[] capacity;

  QueueOracle(Collection<QueueModel> models, long[] capacity) {
    models.forEach(model -> queues.put(model.name(), model));
    this.capacity = capacity.clone();
  }

  static long[] amounts(ResourceAmounts given) {
    return RESOURCES.stream().mapToLong(given::amountOf).toArray();
  }

  static long[] requests(PodModel pod) {
    return amounts(pod.spec().requests().held());
  }

  QueueModel queue(String name) {
    return queues.get(name);
  }

  /** Returns the queues from the top to this one. */
  List<String> path(String name) {
    List<String> path = new ArrayList<>();
    for (String at = name; !at.isEmpty(); at = queues.get(at).parent()) {
      path.addFirst(at);
    }
    return path;
  }

  List<String> children(String parent) {
    return queues.values().stream()
        .filter(queue -> queue.parent().equals(parent))
        .map(QueueModel::name)
        .toList();
  }

  /** Returns the pods of the subtree. */
  List<PodModel> below(String queue, Collection<PodModel> pods) {
    return pods.stream()
        .filter(pod -> path(pod.ref().namespace()).contains(queue))
        .sorted(
            Comparator.comparingInt((PodModel pod) -> pod.spec().priority())
                .reversed()
                .thenComparing(pod -> pod.startedAt().orElse(Instant.MAX))
                .thenComparing(PodModel::createdAt)
                .thenComparing(pod -> pod.ref().uid()))
        .toList();
  }

  static long[] sum(Collection<PodModel> pods) {
    long[] sum = new long[RESOURCES.size()];
    for (PodModel pod : pods) {
      long[] requests = requests(pod);
      for (int i = 0; i < sum.length; i++) {
        sum[i] += requests[i];
      }
    }
    return sum;
  }

  /** Returns the pods that the guarantee of the queue covers. */
  Set<PodModel> covered(String queue, Collection<PodModel> pods) {
    Set<PodModel> covered = new HashSet<>();
    children(queue).forEach(child -> covered.addAll(covered(child, pods)));
    long[] taken = sum(covered);
    ResourceAmounts guarantee = queues.get(queue).guarantee();
    for (PodModel pod : below(queue, pods)) {
      if (!covered.contains(pod) && fits(requests(pod), taken, guarantee)) {
        covered.add(pod);
        long[] requests = requests(pod);
        for (int i = 0; i < taken.length; i++) {
          taken[i] += requests[i];
        }
      }
    }
    return covered;
  }

  /** CPU and memory that a guarantee does not name are not looked at; GPUs are not guaranteed. */
  private static boolean fits(long[] requests, long[] taken, ResourceAmounts guarantee) {
    boolean any = false;
    for (int i = 0; i < requests.length; i++) {
      String name = RESOURCES.get(i);
      boolean counts = guarantee.names(name) || name.contains("/");
      any |= requests[i] > 0 && guarantee.names(name);
      if (counts && requests[i] > 0 && taken[i] + requests[i] > guarantee.amountOf(name)) {
        return false;
      }
    }
    return any;
  }

  /** Returns the share of what the queue borrows. */
  double share(String queue, Collection<PodModel> pods) {
    List<PodModel> borrowed = new ArrayList<>(below(queue, pods));
    borrowed.removeAll(covered(queue, pods));
    long[] amounts = sum(borrowed);
    double share = 0;
    for (int i = 0; i < amounts.length; i++) {
      if (amounts[i] > 0) {
        share = Math.max(share, (double) amounts[i] / capacity[i] / queues.get(queue).weight());
      }
    }
    return share;
  }

  /** Returns the first queue whose limit the pods exceed; empty if there is none. */
  String overLimit(Collection<PodModel> pods) {
    for (QueueModel queue : queues.values()) {
      long[] use = sum(below(queue.name(), pods));
      for (int i = 0; i < use.length; i++) {
        if (queue.limit().names(RESOURCES.get(i))
            && use[i] > queue.limit().amountOf(RESOURCES.get(i))) {
          return queue.name();
        }
      }
    }
    return "";
  }

  /**
   * Returns what is wrong with an eviction; empty if it follows the rules.
   *
   * @param before the pods that use resources before, without the preemptor
   */
  String wrong(PodModel preemptor, Collection<PodModel> victims, Collection<PodModel> before) {
    List<PodModel> after = new ArrayList<>(before);
    after.removeAll(victims);
    after.add(preemptor);
    for (PodModel victim : victims) {
      String wrong = wrong(preemptor, victim, before, after);
      if (!wrong.isEmpty()) {
        return wrong;
      }
    }
    return "";
  }

  private String wrong(
      PodModel preemptor,
      PodModel victim,
      Collection<PodModel> before,
      Collection<PodModel> after) {
    String own = preemptor.ref().namespace();
    String other = victim.ref().namespace();
    for (String shared : path(own)) {
      if (path(other).contains(shared)
          && covered(shared, before).contains(victim)
          && !covered(shared, after).contains(preemptor)) {
        return shared + " covers the victim, and not the preemptor";
      }
    }
    if (own.equals(other)) {
      return victim.spec().priority() < preemptor.spec().priority()
          ? ""
          : "a pod displaces one of its own queue that is no less important";
    }
    int common = 0;
    List<String> ofTaker = path(own);
    List<String> ofGiver = path(other);
    while (ofTaker.get(common).equals(ofGiver.get(common))) {
      common++;
    }
    String taker = ofTaker.get(common);
    String giver = ofGiver.get(common);
    Set<PodModel> lost = new HashSet<>(covered(giver, before));
    lost.removeAll(covered(giver, after));
    if (!lost.isEmpty()) {
      return giver + " loses what its guarantee covers: " + lost;
    }
    if (covered(taker, after).contains(preemptor)
        || queues.get(taker).priority() > queues.get(giver).priority()) {
      return "";
    }
    if (queues.get(taker).priority() < queues.get(giver).priority()) {
      return taker + " has no priority over " + giver;
    }
    if (share(taker, before) > 0.9 * share(giver, before) + 1e-6) {
      return "shares are close: %s has %s, %s has %s"
          .formatted(taker, share(taker, before), giver, share(giver, before));
    }
    double left = share(giver, after);
    return share(taker, after) <= left && left < share(giver, before)
        ? ""
        : "shares change places: %s has %s, %s has %s of %s"
            .formatted(
                taker, share(taker, after), giver, share(giver, after), share(giver, before));
  }
}
