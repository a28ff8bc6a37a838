package io.berth.engine.cards;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The pods that free cards should stay usable for: which kinds, and how common each is. */
public record TargetWorkload(List<WorkloadShape> shapes) {
  /** Kinds that are rarer than all that make up this share of the pods are left out. */
  private static final double COVERED = 0.95;

  private static final TargetWorkload UNKNOWN = new TargetWorkload(List.of());

  public TargetWorkload {
    shapes = List.copyOf(shapes);
  }

  /** A workload of which nothing is known. */
  public static TargetWorkload unknown() {
    return UNKNOWN;
  }

  /** The most frequent kinds of pods, those that make up 95 % of all. */
  TargetWorkload mostFrequent() {
    List<WorkloadShape> sorted = new ArrayList<>(shapes);
    sorted.sort(
        Comparator.comparingDouble(WorkloadShape::share)
            .reversed()
            .thenComparing(Comparator.comparingLong(WorkloadShape::milliCpu).reversed())
            .thenComparing(Comparator.comparingInt(WorkloadShape::milliGpu).reversed())
            .thenComparing(Comparator.comparingInt(WorkloadShape::cards).reversed())
            .thenComparing(shape -> String.join("|", shape.models().stream().sorted().toList())));
    double total = sorted.stream().mapToDouble(WorkloadShape::share).sum();
    double covered = 0;
    int kept = 0;
    while (kept < sorted.size() && covered < COVERED * total) {
      covered += sorted.get(kept++).share();
    }
    return new TargetWorkload(sorted.subList(0, kept));
  }
}
