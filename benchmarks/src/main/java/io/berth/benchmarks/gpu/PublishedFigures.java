package io.berth.benchmarks.gpu;

import java.util.Map;
import java.util.OptionalDouble;

/**
 * The figures that "Beware of Fragmentation" (USENIX ATC 2023) reports for its policy FGD: the
 * allocated percentage of the cluster's GPU capacity after pods that request 130 % of it have
 * arrived, as the mean of ten seeds.
 */
final class PublishedFigures {
  private static final Map<String, Double> FGD =
      Map.ofEntries(
          Map.entry("default", 95.39),
          Map.entry("cpu050", 95.21),
          Map.entry("cpu100", 95.35),
          Map.entry("cpu250", 93.41),
          Map.entry("gpushare40", 94.15),
          Map.entry("gpushare80", 89.30),
          Map.entry("gpushare100", 86.90),
          Map.entry("gpuspec10", 94.95),
          Map.entry("gpuspec20", 94.84),
          Map.entry("gpuspec33", 94.55),
          Map.entry("multigpu20", 95.65),
          Map.entry("multigpu30", 96.46),
          Map.entry("multigpu50", 97.18));

  private PublishedFigures() {}

  /** Returns FGD's figure for a trace; empty if none was published. */
  static OptionalDouble fgd(String trace) {
    Double figure = FGD.get(trace);
    return figure == null ? OptionalDouble.empty() : OptionalDouble.of(figure);
  }
}
