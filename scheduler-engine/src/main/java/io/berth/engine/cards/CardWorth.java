package io.berth.engine.cards;

import io.berth.engine.model.Card;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;

/**
 * The worth of a node's free GPU capacity for a target workload, in thousandths of a card.
 *
 * <p>Two estimates are added (see docs/decisions/gpu-fragmentation.md):
 *
 * <ol>
 *   <li>The GPU capacity that the next pod could use: the expected free capacity on the cards that
 *       fit a pod drawn from the workload; 0 if the node does not have the CPU, the model or the
 *       cards for it. The difference from the free capacity is the expected fragment of "Beware of
 *       Fragmentation" (USENIX ATC 2023).
 *   <li>Half of the GPU capacity that all future pods could use: the expected final filling of
 *       every card if the pods of the workload that fit arrive one after the other, limited by the
 *       free CPU of the node, at the workload's mean CPU per GPU.
 * </ol>
 *
 * <p>Both estimates can only decrease when GPU or CPU is used. A pod should be placed where the
 * worth decreases least.
 */
public final class CardWorth {
  /** The weight of the second estimate. */
  private static final double FORESIGHT = 0.5;

  private static final int WHOLE = Card.MILLI_CORES;

  private final CardTable names;
  private final List<WorkloadShape> shapes;
  private Table[] tables = {};

  CardWorth(TargetWorkload target, CardTable names) {
    this.names = names;
    this.shapes =
        target.mostFrequent().shapes().stream().filter(shape -> shape.cards() > 0).toList();
  }

  /**
   * Returns the worth of these cards on a node with this much free CPU, in thousandths of a core.
   */
  public double of(FreeCards cards, long milliCpu) {
    int size = cards.size();
    if (size == 0) {
      return 0;
    }
    if (cards.isUniform()) {
      return table(cards.model(0)).worth(cards.shares(), size, milliCpu);
    }
    return ofEachModel(cards, milliCpu);
  }

  /**
   * Returns the worth of cards of different models: each model is valued as if it had the node's
   * CPU for itself.
   */
  private double ofEachModel(FreeCards cards, long milliCpu) {
    double worth = 0;
    int[] alike = new int[cards.size()];
    for (int card = 0; card < cards.size(); card++) {
      int model = cards.model(card);
      int size = 0;
      boolean first = true;
      for (int other = 0; other < cards.size(); other++) {
        if (cards.model(other) == model) {
          first &= other >= card;
          alike[size++] = cards.shares()[other];
        }
      }
      if (first) {
        worth += table(model).worth(alike, size, milliCpu);
      }
    }
    return worth;
  }

  private Table table(int model) {
    if (model >= tables.length) {
      tables = Arrays.copyOf(tables, model + 1);
    }
    Table table = tables[model];
    String name = names.modelName(model);
    if (table == null || !table.model.equals(name)) {
      table =
          new Table(
              name,
              shapes.stream()
                  .filter(shape -> shape.models().isEmpty() || shape.models().contains(name))
                  .toList(),
              shapes.stream().mapToDouble(WorkloadShape::share).sum());
      tables[model] = table;
    }
    return table;
  }

  /**
   * The target workload for cards of one model. The free CPU only matters by its level: the number
   * of distinct CPU requests that it covers.
   */
  private static final class Table {
    final String model;

    /** The distinct CPU requests of pods, ascending. */
    private final long[] cpuLevels;

    /** By free share of a card, the number of kinds of shares that fit. */
    private final byte[] level = new byte[WHOLE + 1];

    /** By CPU level and level of a card, the probability of a pod that fits. */
    private final double[][] fitting;

    /**
     * By CPU level and number of whole cards, the probability of a pod with several cards that
     * fits.
     */
    private final double[][] severalFitting;

    /** By free share of a card, the expected part of it that will be used eventually. */
    private final double[] filling = new double[WHOLE + 1];

    private final double cpuPerGpu;

    Table(String model, List<WorkloadShape> shapes, double total) {
      this.model = model;
      this.cpuLevels =
          shapes.stream().mapToLong(WorkloadShape::milliCpu).distinct().sorted().toArray();
      List<Integer> shares =
          new ArrayList<>(
              new TreeSet<>(
                  shapes.stream()
                      .filter(s -> s.cards() == 1)
                      .map(WorkloadShape::milliGpu)
                      .toList()));
      int most = shapes.stream().mapToInt(WorkloadShape::cards).max().orElse(0);
      for (int free = 0; free <= WHOLE; free++) {
        int fits = 0;
        while (fits < shares.size() && shares.get(fits) <= free) {
          fits++;
        }
        level[free] = (byte) fits;
      }
      this.fitting = new double[cpuLevels.length + 1][shares.size() + 1];
      this.severalFitting = new double[cpuLevels.length + 1][most + 1];
      for (WorkloadShape shape : shapes) {
        add(shape, shape.share() / total, shares);
      }
      fill(shapes);
      double cpu = shapes.stream().mapToDouble(s -> s.share() * s.milliCpu()).sum();
      double gpu = shapes.stream().mapToDouble(s -> s.share() * s.cards() * s.milliGpu()).sum();
      this.cpuPerGpu = gpu == 0 ? 0 : cpu / gpu;
    }

    private void add(WorkloadShape shape, double probability, List<Integer> shares) {
      for (int cpu = Arrays.binarySearch(cpuLevels, shape.milliCpu()) + 1;
          cpu <= cpuLevels.length;
          cpu++) {
        double[] likely = shape.cards() == 1 ? fitting[cpu] : severalFitting[cpu];
        int from = shape.cards() == 1 ? shares.indexOf(shape.milliGpu()) + 1 : shape.cards();
        for (int at = from; at < likely.length; at++) {
          likely[at] += probability;
        }
      }
    }

    /**
     * Computes the expected filling: each pod that fits takes its share and leaves the rest to
     * later ones; a pod that does not fit goes elsewhere.
     */
    private void fill(List<WorkloadShape> shapes) {
      for (int free = 1; free <= WHOLE; free++) {
        double likely = 0;
        double used = 0;
        for (WorkloadShape shape : shapes) {
          if (shape.cards() == 1 && shape.milliGpu() <= free && shape.milliGpu() > 0) {
            likely += shape.share();
            used += shape.share() * (shape.milliGpu() + filling[free - shape.milliGpu()]);
          }
        }
        filling[free] = likely == 0 ? 0 : used / likely;
      }
    }

    double worth(int[] shares, int size, long milliCpu) {
      int cpu = cpuLevel(milliCpu);
      double[] likely = fitting[cpu];
      double next = 0;
      double later = 0;
      int whole = 0;
      for (int card = 0; card < size; card++) {
        int free = shares[card];
        next += free * likely[level[free]];
        later += filling[free];
        whole += free == WHOLE ? 1 : 0;
      }
      double[] several = severalFitting[cpu];
      if (several.length > 0) {
        next += WHOLE * whole * several[Math.min(whole, several.length - 1)];
      }
      if (cpuPerGpu > 0) {
        later = Math.min(later, milliCpu / cpuPerGpu);
      }
      return next + FORESIGHT * later;
    }

    private int cpuLevel(long milliCpu) {
      int at = Arrays.binarySearch(cpuLevels, milliCpu);
      return at >= 0 ? at + 1 : -at - 1;
    }
  }
}
