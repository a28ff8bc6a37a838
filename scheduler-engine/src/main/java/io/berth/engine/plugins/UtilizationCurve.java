package io.berth.engine.plugins;

import io.berth.engine.framework.Arguments;
import java.util.ArrayList;
import java.util.List;

/**
 * The argument {@code shape} of scores: a function of the utilization, which is linear between
 * points and constant beyond them, with kube-scheduler's integer divisions.
 *
 * @param points the points in ascending order of utilization, at least one
 */
public record UtilizationCurve(List<Point> points) {
  /**
   * A point of the function.
   *
   * @param utilization 0 to 100
   * @param score 0 to 10
   */
  public record Point(int utilization, int score) {}

  public UtilizationCurve {
    points = List.copyOf(points);
    if (points.isEmpty()) {
      throw new IllegalArgumentException("a function needs at least one point");
    }
  }

  /** Returns the points in the argument {@code shape}; none if it is absent. */
  static List<Point> readPoints(Arguments arguments) {
    List<Point> points = new ArrayList<>();
    for (Arguments point : arguments.objects("shape")) {
      int utilization = (int) point.integer("utilization", 0, 100, 0);
      int score = (int) point.integer("score", 0, 10, 0);
      if (!points.isEmpty() && points.getLast().utilization() >= utilization) {
        point.problem(
            "utilization",
            "must be greater than that of the previous point, which is "
                + points.getLast().utilization());
      }
      points.add(new Point(utilization, score));
      point.finish();
    }
    return points;
  }

  /**
   * Returns the value of the function, 0 to 100.
   *
   * @param utilization 0 to 100
   */
  long at(long utilization) {
    for (int i = 0; i < points.size(); i++) {
      Point right = points.get(i);
      if (utilization <= right.utilization()) {
        if (i == 0) {
          return right.score() * 10L;
        }
        Point left = points.get(i - 1);
        return left.score() * 10L
            + (right.score() - left.score())
                * 10L
                * (utilization - left.utilization())
                / (right.utilization() - left.utilization());
      }
    }
    return points.getLast().score() * 10L;
  }
}
