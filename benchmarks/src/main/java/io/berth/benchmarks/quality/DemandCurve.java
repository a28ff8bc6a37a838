package io.berth.benchmarks.quality;

import java.util.ArrayList;
import java.util.List;

/** Values observed at different levels of demand, and their means over ranges of demand. */
final class DemandCurve {
  private record Observation(double percent, double value) {}

  private final List<Observation> observations = new ArrayList<>();

  /** Adds a value observed at this demand, in percent. */
  void add(double percent, double value) {
    observations.add(new Observation(percent, value));
  }

  /**
   * Returns the mean of the values in a range of demand, excluding its end; 0 if there are none.
   */
  double mean(double from, double to) {
    double sum = 0;
    int count = 0;
    for (Observation observation : observations) {
      if (observation.percent() >= from && observation.percent() < to) {
        sum += observation.value();
        count++;
      }
    }
    return count == 0 ? 0 : sum / count;
  }

  /** Returns the means over ranges of this width, each at the middle of its range. */
  List<LinePlot.Point> points(double from, double width) {
    List<LinePlot.Point> points = new ArrayList<>();
    for (double at = from; at + width <= DemandStream.LAST_PERCENT; at += width) {
      points.add(new LinePlot.Point(at + width / 2, mean(at, at + width)));
    }
    return points;
  }
}
