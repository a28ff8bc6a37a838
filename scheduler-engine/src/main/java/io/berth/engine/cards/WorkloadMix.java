package io.berth.engine.cards;

import io.berth.engine.model.Card;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.PodCards;
import io.berth.engine.model.PodSpec;
import io.berth.engine.model.ResourceAmounts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The mix of the pods that are present, pending or placed: how frequent each kind of pod is.
 *
 * <p>The mix depends on the present pods and cards alone, never on the order in which they came, so
 * every engine that knows the same objects ranks nodes alike. When it changes, all that depends on
 * it has to be computed again. Therefore frequencies are rounded: a kind with {@code n} of {@code
 * N} pods has {@code u = round(STEPS · √(n / N))} units, and counts with {@code u²}. The steps are
 * fine enough for rare kinds, and wide enough for frequent ones to change seldom. {@code N} is
 * rounded, too, so that a pod changes the units of its own kind only.
 */
public final class WorkloadMix {
  /** The units of a kind to which all pods belong. */
  private static final int STEPS = 32;

  /** The smallest {@code N}, with which a single pod has one unit. */
  private static final long FEWEST = (long) STEPS * STEPS;

  /** A kind of pod, as far as placing pods on cards depends on it. */
  private record Kind(long milliCpu, int cards, int milliGpu, Set<String> models) {}

  /** The requests that determine a pod's kind, given the average memory of a card. */
  private record Demand(long milliCpu, PodCards cards) {}

  private final LongSupplier memoryOfCard;
  private final Map<Demand, Integer> demands = new HashMap<>();
  private final Map<Kind, Integer> kinds = new HashMap<>();
  private long total;

  /** The average memory of a card by which {@link #kinds} was counted. */
  private long memory;

  /** The value of {@code N} for which {@link #target} was computed. */
  private long roundedTotal = FEWEST;

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

  /** Counts a pod that has arrived. */
  public void add(PodSpec spec) {
    count(spec, 1);
  }

  /** Counts a pod no longer that was added before. */
  public void remove(PodSpec spec) {
    count(spec, -1);
  }

  /** Returns the mix; the same value until it changes. */
  public TargetWorkload target() {
    update();
    return target;
  }

  /** Returns a version that grows with every change of {@link #target()}. */
  public long version() {
    update();
    return version;
  }

  private void count(PodSpec spec, int delta) {
    if (spec.cards().problem().isPresent()) {
      return;
    }
    Demand demand = new Demand(spec.requests().asked().amountOf(ResourceAmounts.CPU), spec.cards());
    change(demands, demand, delta);
    int after = change(kinds, kindOf(demand), delta);
    total += delta;
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
    return (int) Math.round(STEPS * Math.sqrt((double) count / roundedTotal));
  }

  /** Returns the total, rounded up to three significant bits. */
  private static long rounded(long total) {
    if (total <= FEWEST) {
      return FEWEST;
    }
    long step = Long.highestOneBit(total - 1) >> 2;
    return Math.ceilDiv(total, step) * step;
  }

  private void update() {
    if (memory != memoryOfCard.getAsLong()) {
      memory = memoryOfCard.getAsLong();
      kinds.clear();
      demands.forEach((demand, count) -> kinds.merge(kindOf(demand), count, Integer::sum));
      unitsChanged = true;
    }
    if (unitsChanged || roundedTotal != rounded(total)) {
      roundedTotal = rounded(total);
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
