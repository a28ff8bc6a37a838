package io.berth.engine.cards;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The pods for which free cards should stay usable: their kinds, with frequencies. */
public record TargetWorkload(List<WorkloadShape> shapes) {
  /** The share of pods that is covered; rarer kinds are omitted. */
  private static final double COVERED = 0.95;

  private static final TargetWorkload UNKNOWN = new TargetWorkload(List.of());

  public TargetWorkload {
    shapes = List.copyOf(shapes);
  }

  /** Returns an unknown workload. */
  public static TargetWorkload unknown() {
    return UNKNOWN;
  }

  /** Returns the most frequent kinds of pods, which make up 95 % of all. */
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
