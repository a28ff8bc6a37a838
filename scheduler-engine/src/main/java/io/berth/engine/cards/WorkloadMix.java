package io.berth.engine.cards;

import io.berth.engine.model.Card;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.PodCards;
import io.berth.engine.model.PodSpec;
import io.berth.engine.model.ResourceAmounts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
  private record Demand(long milliCpu, PodCards cards, Optional<ClaimedCards> claimed) {}

  /** The number of counted pods of a kind. */
  private static final class OfKind {
    final Kind kind;
    int pods;

    /** The number of demands of this kind; without any, it is dropped. */
    int demands;

    OfKind(Kind kind) {
      this.kind = kind;
    }
  }

  /** The pods with the same demand. */
  private static final class OfDemand {
    final Demand demand;
    OfKind ofKind;
    int present;
    int counted;

    OfDemand(Demand demand, OfKind ofKind) {
      this.demand = demand;
      this.ofKind = ofKind;
    }
  }

  private final LongSupplier memoryOfCard;
  private final LongSupplier versionOfDevices;

  /** Adds the present pods when the mix is first asked for; clusters without cards need none. */
  private Runnable addPresent = () -> {};

  private boolean isUsed;

  /** The present pods, divided only when the mix is asked for. */
  private final PodsByAge<OfDemand> pods = new PodsByAge<>(this::change);

  private final Map<Demand, OfDemand> demands = new HashMap<>();

  /** The present pods with claims, by UID: their claims may have changed when they are removed. */
  private final Map<String, OfDemand> withClaims = new HashMap<>();

  private final Map<Kind, OfKind> kinds = new HashMap<>();

  /** The average memory of a card by which {@link #kinds} was counted. */
  private long memory;

  /** The version of the known devices by which claims in {@link #kinds} were counted. */
  private long devices;

  /** The value of {@code M} for which {@link #target} was computed. */
  private long total = FEWEST;

  private boolean unitsChanged;
  private TargetWorkload target = TargetWorkload.unknown();
  private long version;

  /**
   * Creates an empty mix.
   *
   * @param memoryOfCard returns the average memory of a card, in MiB; 0 if it is not known
   * @param versionOfDevices returns a version that changes when claims may ask for other cards
   */
  public WorkloadMix(LongSupplier memoryOfCard, LongSupplier versionOfDevices) {
    this.memoryOfCard = memoryOfCard;
    this.versionOfDevices = versionOfDevices;
  }

  /**
   * Adds a pod that has arrived.
   *
   * @param uid the UID of the pod, which orders pods that were created at the same time
   * @param claimed what it asks for by claims; absent if it has none
   */
  public void add(Instant createdAt, String uid, PodSpec spec, Optional<ClaimedCards> claimed) {
    if (spec.cards().problem().isEmpty()) {
      OfDemand ofDemand = demands.computeIfAbsent(demandOf(spec, claimed), this::newDemand);
      if (pods.add(createdAt, uid, ofDemand)) {
        ofDemand.present++;
        if (claimed.isPresent()) {
          withClaims.put(uid, ofDemand);
        }
      }
    }
  }

  private OfDemand newDemand(Demand demand) {
    OfKind ofKind = kinds.computeIfAbsent(kindOf(demand), OfKind::new);
    ofKind.demands++;
    return new OfDemand(demand, ofKind);
  }

  /** Removes a pod that was added before. */
  public void remove(Instant createdAt, String uid, PodSpec spec) {
    OfDemand claiming = withClaims.remove(uid);
    OfDemand ofDemand =
        claiming != null || spec.cards().problem().isPresent()
            ? claiming
            : demands.get(demandOf(spec, Optional.empty()));
    if (ofDemand == null || !pods.remove(createdAt, uid, ofDemand) || --ofDemand.present > 0) {
      return;
    }
    demands.remove(ofDemand.demand);
    if (--ofDemand.ofKind.demands == 0) {
      kinds.remove(ofDemand.ofKind.kind);
    }
  }

  /** Returns {@code M}: the number of pods, rounded down to two significant bits. */
  private static int numberCounted(int pods) {
    int step = Math.max(1, Integer.highestOneBit(pods) >> 1);
    return pods / step * step;
  }

  private static Demand demandOf(PodSpec spec, Optional<ClaimedCards> claimed) {
    return new Demand(spec.requests().asked().amountOf(ResourceAmounts.CPU), spec.cards(), claimed);
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

  private void change(OfDemand ofDemand, int delta) {
    ofDemand.counted += delta;
    OfKind ofKind = ofDemand.ofKind;
    unitsChanged |= units(ofKind.pods) != units(ofKind.pods + delta);
    ofKind.pods += delta;
  }

  private int units(int count) {
    return (int) Math.round(STEPS * Math.sqrt((double) count / total));
  }

  private void update() {
    if (memory != memoryOfCard.getAsLong() || devices != versionOfDevices.getAsLong()) {
      memory = memoryOfCard.getAsLong();
      devices = versionOfDevices.getAsLong();
      kinds.clear();
      for (OfDemand ofDemand : demands.values()) {
        ofDemand.ofKind = kinds.computeIfAbsent(kindOf(ofDemand.demand), OfKind::new);
        ofDemand.ofKind.demands++;
        ofDemand.ofKind.pods += ofDemand.counted;
      }
      unitsChanged = true;
    }
    pods.countOldest(numberCounted(pods.size()));
    long now = Math.max(FEWEST, pods.counted());
    if (unitsChanged || total != now) {
      total = now;
      unitsChanged = false;
      publish();
    }
  }

  private void publish() {
    List<WorkloadShape> shapes = new ArrayList<>();
    kinds.forEach(
        (kind, ofKind) -> {
          long units = units(ofKind.pods);
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
    if (cards.isEmpty() && demand.claimed().isPresent()) {
      ClaimedCards.Share share = demand.claimed().get().share();
      return new Kind(demand.milliCpu(), share.cards(), share.milliGpu(), share.models());
    }
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
