package io.berth.engine.plugins;

import io.berth.engine.framework.Arguments;
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
            UtilizationCurve shape = RequestedToCapacityRatio.readShape(ratio);
            ratio.finish();
            yield new RequestedToCapacityRatio(resources, shape);
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
   * @param shape the function
   */
  record RequestedToCapacityRatio(List<WeightedResource> resources, UtilizationCurve shape)
      implements ScoringStrategy {
    public RequestedToCapacityRatio {
      resources = List.copyOf(resources);
    }

    @Override
    public int score(ResourceFigures figures) {
      long sum = 0;
      long weights = 0;
      for (int i = 0; i < resources.size(); i++) {
        long capacity = figures.allocatable[i];
        if (capacity != 0) {
          long requested = figures.requested[i];
          long score = shape.at(requested > capacity ? 100 : requested * 100 / capacity);
          if (score > 0) {
            long weight = resources.get(i).weight();
            sum += score * weight;
            weights += weight;
          }
        }
      }
      return weights == 0 ? 0 : (int) Math.round((double) sum / (double) weights);
    }

    private static UtilizationCurve readShape(Arguments arguments) {
      List<UtilizationCurve.Point> points = UtilizationCurve.readPoints(arguments);
      if (points.isEmpty()) {
        arguments.problem(
            "shape", "must have at least one point, such as {utilization: 0, score: 0}");
        points = List.of(new UtilizationCurve.Point(0, 0));
      }
      return new UtilizationCurve(points);
    }
  }
}
