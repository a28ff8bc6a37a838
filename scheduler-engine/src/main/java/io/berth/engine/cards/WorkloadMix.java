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
 * The mix of the pods that have arrived so far, with exponential decay: after every {@value
 * #MEMORY} pods, the counts are halved.
 *
 * <p>When the mix changes, every value that depends on it has to be computed again. Therefore it
 * changes only when that makes a difference: when twice as many pods are known as at the last
 * change, and later when the kinds of pods have shifted.
 */
public final class WorkloadMix {
  private static final int MEMORY = 16_384;
  private static final int FIRST_LOOK = 16;
  private static final int LOOK_EVERY = 4_096;
  private static final int MOST_KINDS = 4_096;

  /** The share of pods whose kind must differ for the mix to change. */
  private static final double SHIFT = 0.05;

  private record Kind(long milliCpu, int cards, int milliGpu, Set<String> models) {}

  private final LongSupplier memoryOfCard;
  private final Map<Kind, Double> counts = new HashMap<>();
  private Map<Kind, Double> published = Map.of();
  private double total;
  private long seen;
  private long nextLook = FIRST_LOOK;
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
  public void saw(PodSpec spec) {
    if (spec.cards().problem().isPresent()) {
      return;
    }
    counts.merge(kindOf(spec), 1.0, Double::sum);
    total++;
    seen++;
    if (total >= MEMORY || counts.size() > MOST_KINDS) {
      halve();
    }
    if (seen >= nextLook) {
      nextLook = seen < LOOK_EVERY ? seen * 2 : seen + LOOK_EVERY;
      publish();
    }
  }

  /** Returns the known mix; the same value until it changes. */
  public TargetWorkload target() {
    return target;
  }

  /** Returns a version that grows with every change of {@link #target()}. */
  public long version() {
    return version;
  }

  private Kind kindOf(PodSpec spec) {
    PodCards cards = spec.cards();
    int whole = cards.wholeCards();
    int milliGpu = whole > 0 ? Card.MILLI_CORES : 0;
    for (CardRequest request : cards.requests()) {
      milliGpu = Math.max(milliGpu, milliGpuOf(request));
    }
    return new Kind(
        spec.requests().asked().amountOf(ResourceAmounts.CPU),
        whole > 0 || cards.requests().isEmpty() ? whole : 1,
        milliGpu,
        cards.models());
  }

  /**
   * Returns the part of a card that the request blocks for others, by compute capacity or by
   * memory.
   */
  private int milliGpuOf(CardRequest request) {
    long memory = memoryOfCard.getAsLong();
    long ofMemory =
        memory == 0
            ? request.memoryPercent() * (Card.MILLI_CORES / 100L)
            : Math.ceilDiv(request.memoryOf(memory) * Card.MILLI_CORES, memory);
    return Math.clamp(ofMemory, Math.min(request.milliCores(), Card.MILLI_CORES), Card.MILLI_CORES);
  }

  private void halve() {
    counts.values().removeIf(count -> count < 1);
    counts.replaceAll((kind, count) -> count / 2);
    total = counts.values().stream().mapToDouble(Double::doubleValue).sum();
  }

  private void publish() {
    Map<Kind, Double> shares = new HashMap<>();
    counts.forEach((kind, count) -> shares.put(kind, count / total));
    double moved = 0;
    for (Map.Entry<Kind, Double> share : shares.entrySet()) {
      moved += Math.max(0, share.getValue() - published.getOrDefault(share.getKey(), 0.0));
    }
    if (moved <= SHIFT) {
      return;
    }
    published = shares;
    List<WorkloadShape> shapes = new ArrayList<>();
    shares.forEach(
        (kind, share) ->
            shapes.add(
                new WorkloadShape(
                    share, kind.milliCpu(), kind.cards(), kind.milliGpu(), kind.models())));
    target = new TargetWorkload(shapes).mostFrequent();
    version++;
  }
}
