package io.berth.engine.plugins;

import io.berth.engine.framework.Arguments;
import java.util.ArrayList;
import java.util.List;

/**
 * The strategy by which NodeResourcesFit scores the requested resources of a node, including the
 * pod.
 */
public sealed interface ScoringStrategy {
  /** Returns the resources to consider. */
  List<WeightedResource> resources();

  /** Returns the score of a node, 0 to 100. */
  int score(ResourceFigures figures);

  /** Parses the argument {@code scoringStrategy}. */
  static ScoringStrategy read(Arguments arguments) {
    String type =
        arguments.oneOf(
            "type",
            List.of("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"),
            "LeastAllocated");
    List<WeightedResource> resources = WeightedResource.read(arguments);
    boolean byRatio = type.equals("RequestedToCapacityRatio");
    if (!byRatio && arguments.has("requestedToCapacityRatio")) {
      arguments.problem(
          "requestedToCapacityRatio",
          "has no effect if type is "
              + type
              + ": remove it, or set type to RequestedToCapacityRatio");
    }
    ScoringStrategy strategy =
        switch (type) {
          case "MostAllocated" -> new MostAllocated(resources);
          case "RequestedToCapacityRatio" -> {
            Arguments ratio = arguments.object("requestedToCapacityRatio");
            List<RequestedToCapacityRatio.Point> curve = RequestedToCapacityRatio.readCurve(ratio);
            ratio.finish();
            yield new RequestedToCapacityRatio(resources, curve);
          }
          default -> new LeastAllocated(resources);
        };
    arguments.finish();
    return strategy;
  }

  /** Prefers low utilization: spreads load. */
  record LeastAllocated(List<WeightedResource> resources) implements ScoringStrategy {
    public LeastAllocated {
      resources = List.copyOf(resources);
    }

    @Override
    public int score(ResourceFigures figures) {
      long sum = 0;
      long weights = 0;
      for (int i = 0; i < resources.size(); i++) {
        long capacity = figures.allocatable[i];
        if (capacity != 0) {
          long weight = resources.get(i).weight();
          long requested = figures.requested[i];
          sum += weight * (requested > capacity ? 0 : (capacity - requested) * 100 / capacity);
          weights += weight;
        }
      }
      return weights == 0 ? 0 : (int) (sum / weights);
    }
  }

  /** Prefers high utilization: packs load. */
  record MostAllocated(List<WeightedResource> resources) implements ScoringStrategy {
    public MostAllocated {
      resources = List.copyOf(resources);
    }

    @Override
    public int score(ResourceFigures figures) {
      long sum = 0;
      long weights = 0;
      for (int i = 0; i < resources.size(); i++) {
        long capacity = figures.allocatable[i];
        if (capacity != 0) {
          long weight = resources.get(i).weight();
          sum += weight * (Math.min(figures.requested[i], capacity) * 100 / capacity);
          weights += weight;
        }
      }
      return weights == 0 ? 0 : (int) (sum / weights);
    }
  }

  /**
   * Scores by a function of the requested share.
   *
   * @param shape the points of the function, in ascending order of utilization, at least one
   */
  record RequestedToCapacityRatio(List<WeightedResource> resources, List<Point> shape)
      implements ScoringStrategy {
    /**
     * A point of the function, which is linear between points and constant beyond them.
     *
     * @param utilization 0 to 100
     * @param score 0 to 10
     */
    public record Point(int utilization, int score) {}

    public RequestedToCapacityRatio {
      resources = List.copyOf(resources);
      shape = List.copyOf(shape);
    }

    @Override
    public int score(ResourceFigures figures) {
      long sum = 0;
      long weights = 0;
      for (int i = 0; i < resources.size(); i++) {
        long capacity = figures.allocatable[i];
        if (capacity != 0) {
          long requested = figures.requested[i];
          long score = curve(requested > capacity ? 100 : requested * 100 / capacity);
          if (score > 0) {
            long weight = resources.get(i).weight();
            sum += score * weight;
            weights += weight;
          }
        }
      }
      return weights == 0 ? 0 : (int) Math.round((double) sum / (double) weights);
    }

    private static List<Point> readCurve(Arguments arguments) {
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
      if (points.isEmpty()) {
        arguments.problem(
            "shape", "must have at least one point, such as {utilization: 0, score: 0}");
        points.add(new Point(0, 0));
      }
      return points;
    }

    private long curve(long utilization) {
      for (int i = 0; i < shape.size(); i++) {
        Point right = shape.get(i);
        if (utilization <= right.utilization()) {
          if (i == 0) {
            return right.score() * 10L;
          }
          Point left = shape.get(i - 1);
          return left.score() * 10L
              + (right.score() - left.score())
                  * 10L
                  * (utilization - left.utilization())
                  / (right.utilization() - left.utilization());
        }
      }
      return shape.getLast().score() * 10L;
    }
  }
}
