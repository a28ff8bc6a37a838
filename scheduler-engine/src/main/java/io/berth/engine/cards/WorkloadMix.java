package io.berth.engine.cards;

import io.berth.engine.model.Card;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.PodCards;
import io.berth.engine.model.PodSpec;
import io.berth.engine.model.ResourceAmounts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/**
 * The mix of the pods that are present, pending or placed: how frequent each kind of pod is.
 *
 * <p>The mix depends on the present pods and cards alone, never on the order in which events came,
 * so every engine that knows the same objects ranks nodes alike. When it changes, all that depends
 * on it has to be computed again for all nodes. Therefore it changes seldom, by two means. (1) Of
 * {@code N} pods it counts the oldest {@code M}, where {@code M} is {@code N} rounded down to two
 * significant bits: new pods count together, twice while the cluster doubles. (2) Frequencies are
 * rounded: a kind with {@code n} of {@code M} pods has {@code u = round(STEPS · √(n / M))} units,
 * and counts with {@code u²}. The steps are fine enough for rare kinds, and wide enough for
 * frequent ones to stay the same while pods are replaced by others of their kind.
 */
public final class WorkloadMix {
  /** The units of a kind to which all pods belong. */
  private static final int STEPS = 32;

  /** The smallest {@code M} for units, with which a single pod has one. */
  private static final long FEWEST = (long) STEPS * STEPS;

  /** A kind of pod, as far as placing pods on cards depends on it. */
  private record Kind(long milliCpu, int cards, int milliGpu, Set<String> models) {}

  /** The requests that determine a pod's kind, given the average memory of a card. */
  private record Demand(long milliCpu, PodCards cards) {}

  /** A present pod; the order is that of creation. */
  private record Member(Instant createdAt, String uid, Demand demand)
      implements Comparable<Member> {
    private static final Comparator<Member> OLDEST_FIRST =
        Comparator.comparing(Member::createdAt).thenComparing(Member::uid);

    @Override
    public int compareTo(Member other) {
      return OLDEST_FIRST.compare(this, other);
    }
  }

  private final LongSupplier memoryOfCard;

  /** Adds the present pods when the mix is first asked for; clusters without cards need none. */
  private Runnable addPresent = () -> {};

  private boolean isUsed;

  /** The oldest pods, which are counted. */
  private final TreeSet<Member> counted = new TreeSet<>();

  /** The pods that are newer than those counted. */
  private final TreeSet<Member> newest = new TreeSet<>();

  private final Map<Demand, Integer> demands = new HashMap<>();
  private final Map<Kind, Integer> kinds = new HashMap<>();

  /** The average memory of a card by which {@link #kinds} was counted. */
  private long memory;

  /** The value of {@code M} for which {@link #target} was computed. */
  private long total = FEWEST;

  private boolean unitsChanged;
  private TargetWorkload target = TargetWorkload.unknown();
  private long version;

  /**
   * Creates an empty mix.
   *
   * @param memoryOfCard returns the average memory of a card, in MiB; 0 if it is not known
   */
  public WorkloadMix(LongSupplier memoryOfCard) {
    this.memoryOfCard = memoryOfCard;
  }

  /**
   * Adds a pod that has arrived.
   *
   * @param uid the UID of the pod, which orders pods that were created at the same time
   */
  public void add(Instant createdAt, String uid, PodSpec spec) {
    if (spec.cards().problem().isEmpty()) {
      Member member = new Member(createdAt, uid, demandOf(spec));
      if (!counted.isEmpty() && member.compareTo(counted.last()) < 0) {
        count(member);
      } else {
        newest.add(member);
      }
      divide();
    }
  }

  /** Removes a pod that was added before. */
  public void remove(Instant createdAt, String uid, PodSpec spec) {
    if (spec.cards().problem().isEmpty()) {
      Member member = new Member(createdAt, uid, demandOf(spec));
      if (!newest.remove(member)) {
        uncount(member);
      }
      divide();
    }
  }

  /** Counts as many of the oldest pods as the number of pods says. */
  private void divide() {
    int wanted = numberCounted(counted.size() + newest.size());
    while (counted.size() < wanted) {
      count(newest.removeFirst());
    }
    while (counted.size() > wanted) {
      Member youngest = counted.last();
      uncount(youngest);
      newest.add(youngest);
    }
  }

  /** Returns {@code M}: the number of pods, rounded down to two significant bits. */
  private static int numberCounted(int pods) {
    int step = Math.max(1, Integer.highestOneBit(pods) >> 1);
    return pods / step * step;
  }

  private static Demand demandOf(PodSpec spec) {
    return new Demand(spec.requests().asked().amountOf(ResourceAmounts.CPU), spec.cards());
  }

  /**
   * Has the mix begin with the present pods when it is first asked for. Before that, pods need not
   * be added.
   */
  public void beginsWith(Runnable present) {
    addPresent = present;
  }

  /** Returns whether the mix was asked for. */
  public boolean isUsed() {
    return isUsed;
  }

  /** Returns the mix; the same value until it changes. */
  public TargetWorkload target() {
    if (!isUsed) {
      isUsed = true;
      addPresent.run();
    }
    update();
    return target;
  }

  /** Returns a version that grows with every change of {@link #target()}. */
  public long version() {
    update();
    return version;
  }

  private void count(Member member) {
    if (counted.add(member)) {
      change(member.demand(), 1);
    }
  }

  private void uncount(Member member) {
    if (counted.remove(member)) {
      change(member.demand(), -1);
    }
  }

  private void change(Demand demand, int delta) {
    change(demands, demand, delta);
    int after = change(kinds, kindOf(demand), delta);
    unitsChanged |= units(after - delta) != units(after);
  }

  /** Returns the new count. */
  private static <K> int change(Map<K, Integer> counts, K key, int delta) {
    Integer after =
        counts.merge(
            key, delta, (count, by) -> count + by == 0 ? null : Integer.valueOf(count + by));
    return after == null ? 0 : after;
  }

  private int units(int count) {
    return (int) Math.round(STEPS * Math.sqrt((double) count / total));
  }

  private void update() {
    if (memory != memoryOfCard.getAsLong()) {
      memory = memoryOfCard.getAsLong();
      kinds.clear();
      demands.forEach((demand, count) -> kinds.merge(kindOf(demand), count, Integer::sum));
      unitsChanged = true;
    }
    long now = Math.max(FEWEST, counted.size());
    if (unitsChanged || total != now) {
      total = now;
      unitsChanged = false;
      publish();
    }
  }

  private void publish() {
    List<WorkloadShape> shapes = new ArrayList<>();
    kinds.forEach(
        (kind, count) -> {
          long units = units(count);
          if (units > 0) {
            shapes.add(
                new WorkloadShape(
                    units * units, kind.milliCpu(), kind.cards(), kind.milliGpu(), kind.models()));
          }
        });
    TargetWorkload newest =
        shapes.isEmpty() ? TargetWorkload.unknown() : new TargetWorkload(shapes).mostFrequent();
    if (!newest.equals(target)) {
      target = newest;
      version++;
    }
  }

  private Kind kindOf(Demand demand) {
    PodCards cards = demand.cards();
    int whole = cards.wholeCards();
    int milliGpu = whole > 0 ? Card.MILLI_CORES : 0;
    for (CardRequest request : cards.requests()) {
      milliGpu = Math.max(milliGpu, milliGpuOf(request));
    }
    return new Kind(
        demand.milliCpu(),
        whole > 0 || cards.requests().isEmpty() ? whole : 1,
        milliGpu,
        cards.models());
  }

  /**
   * Returns the part of a card that the request blocks for others, by compute capacity or by
   * memory.
   */
  private int milliGpuOf(CardRequest request) {
    long ofMemory =
        memory == 0
            ? request.memoryPercent() * (Card.MILLI_CORES / 100L)
            : Math.ceilDiv(request.memoryOf(memory) * Card.MILLI_CORES, memory);
    return Math.clamp(ofMemory, Math.min(request.milliCores(), Card.MILLI_CORES), Card.MILLI_CORES);
  }
}
