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
 * The mix of pods that have come so far, the older counting the less: after every {@value #MEMORY}
 * pods, what was counted is halved.
 *
 * <p>Everything that values cards by the mix has to value all of them again when it changes. So it
 * changes only where that makes a difference: when twice as many pods are known as the last time,
 * and later when the kinds of pods have shifted.
 */
public final class WorkloadMix {
  private static final int MEMORY = 16_384;
  private static final int FIRST_LOOK = 16;
  private static final int LOOK_EVERY = 4_096;
  private static final int MOST_KINDS = 4_096;

  /** The part of the pods that has to be of another kind than before, for the mix to change. */
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
   * A mix of which nothing is known.
   *
   * @param memoryOfCard how much memory a card usually has, in MiB; 0 where nobody knows
   */
  public WorkloadMix(LongSupplier memoryOfCard) {
    this.memoryOfCard = memoryOfCard;
  }

  /** A pod has come. */
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

  /** The mix as far as it is known; the same value until it has changed. */
  public TargetWorkload target() {
    return target;
  }

  /** Grows with every change of {@link #target()}. */
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

  /** The part of a card that nobody else can use: of its computing power or its memory. */
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
