package io.berth.benchmarks.quality;

import java.util.ArrayList;
import java.util.List;

/** Values that were observed at some demand, and their mean over ranges of demand. */
final class DemandCurve {
  private record Observation(double percent, double value) {}

  private final List<Observation> observations = new ArrayList<>();

  /** Adds a value that was observed at this demand. */
  void add(double percent, double value) {
    observations.add(new Observation(percent, value));
  }

  /** The mean of what was observed from one demand on, up to another; 0 where nothing was. */
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

  /** The means over ranges of this width, each at the middle of its range. */
  List<LinePlot.Point> points(double from, double width) {
    List<LinePlot.Point> points = new ArrayList<>();
    for (double at = from; at + width <= DemandStream.LAST_PERCENT; at += width) {
      points.add(new LinePlot.Point(at + width / 2, mean(at, at + width)));
    }
    return points;
  }
}
