package io.berth.engine.policy;

import io.berth.crds.schema.LabelSyntax;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.plugins.NodeResourcesBalancedAllocation;
import io.berth.engine.plugins.NodeResourcesFit;
import io.berth.engine.plugins.ScoringStrategy;
import io.berth.engine.plugins.WaterLevel;
import io.berth.engine.plugins.WeightedResource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The arguments of the algorithms that look at resources. */
final class FitArguments {
  private static final List<String> NATIVE = List.of("cpu", "memory", "ephemeral-storage");
  private static final String HUGE_PAGES = "hugepages-";

  private FitArguments() {}

  static NodeResourcesFit filter(Arguments arguments) {
    arguments.isForScores("scoringStrategy");
    List<String> groups = arguments.texts("ignoredResourceGroups");
    for (String group : groups) {
      if (group.contains("/")) {
        arguments.problem(
            "ignoredResourceGroups", "\"" + group + "\" must not contain \"/\"; give the prefix");
      }
    }
    List<String> ignored = arguments.texts("ignoredResources");
    for (String name : ignored) {
      if (NATIVE.contains(name) || name.startsWith(HUGE_PAGES)) {
        arguments.problem(
            "ignoredResources",
            "\""
                + name
                + "\" is always looked at; only extended resources, such as nvidia.com/gpu, can be"
                + " ignored");
      } else {
        checkResource(arguments, "ignoredResources", name);
      }
    }
    return new NodeResourcesFit(
        Set.copyOf(ignored), Set.copyOf(groups), new NodeResourcesFit().strategy());
  }

  static NodeResourcesFit score(Arguments arguments) {
    arguments.isForFilters("ignoredResources");
    arguments.isForFilters("ignoredResourceGroups");
    return new NodeResourcesFit(strategy(arguments.object("scoringStrategy")));
  }

  static NodeResourcesBalancedAllocation balanced(Arguments arguments) {
    return arguments.has("resources")
        ? new NodeResourcesBalancedAllocation(resources(arguments))
        : new NodeResourcesBalancedAllocation();
  }

  static WaterLevel waterLevel(Arguments arguments) {
    WaterLevel defaults = new WaterLevel();
    double packAbove = arguments.fraction("packAbove", defaults.packAbove());
    double spreadBelow =
        arguments.fraction("spreadBelow", Math.min(defaults.spreadBelow(), packAbove));
    if (spreadBelow > packAbove) {
      arguments.problem(
          "spreadBelow",
          "must not be more than packAbove, which is " + packAbove + ", but is " + spreadBelow);
      spreadBelow = packAbove;
    }
    Optional<String> nodeLabel = Optional.empty();
    if (arguments.has("scope")) {
      Arguments scope = arguments.object("scope");
      String label = scope.text("nodeLabel", "");
      scope.finish();
      if (!LabelSyntax.ofLabelName(label).isEmpty()) {
        scope.problem(
            "nodeLabel",
            "\"" + label + "\" must be the key of a node label, such as cloud.example.com/pool");
      }
      nodeLabel = Optional.of(label);
    }
    List<WeightedResource> resources =
        arguments.has("resources") ? resources(arguments) : defaults.resources();
    return new WaterLevel(packAbove, spreadBelow, nodeLabel, resources);
  }

  private static ScoringStrategy strategy(Arguments arguments) {
    String type =
        arguments.oneOf(
            "type",
            List.of("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"),
            "LeastAllocated");
    List<WeightedResource> resources =
        arguments.has("resources")
            ? resources(arguments)
            : List.of(
                new WeightedResource(ResourceAmounts.CPU, 1),
                new WeightedResource(ResourceAmounts.MEMORY, 1));
    boolean byRatio = type.equals("RequestedToCapacityRatio");
    if (!byRatio && arguments.has("requestedToCapacityRatio")) {
      arguments.problem(
          "requestedToCapacityRatio",
          "changes nothing where type is "
              + type
              + ": leave it out, or set type to RequestedToCapacityRatio");
    }
    ScoringStrategy strategy =
        switch (type) {
          case "MostAllocated" -> new ScoringStrategy.MostAllocated(resources);
          case "RequestedToCapacityRatio" -> {
            Arguments ratio = arguments.object("requestedToCapacityRatio");
            List<ScoringStrategy.RequestedToCapacityRatio.Point> curve = curve(ratio);
            ratio.finish();
            yield new ScoringStrategy.RequestedToCapacityRatio(resources, curve);
          }
          default -> new ScoringStrategy.LeastAllocated(resources);
        };
    arguments.finish();
    return strategy;
  }

  private static List<ScoringStrategy.RequestedToCapacityRatio.Point> curve(Arguments arguments) {
    List<ScoringStrategy.RequestedToCapacityRatio.Point> points = new ArrayList<>();
    for (Arguments point : arguments.objects("shape")) {
      int utilization = (int) point.integer("utilization", 0, 100, 0);
      int score = (int) point.integer("score", 0, 10, 0);
      if (!points.isEmpty() && points.getLast().utilization() >= utilization) {
        point.problem(
            "utilization",
            "must be more than that of the point before, which is "
                + points.getLast().utilization());
      }
      points.add(new ScoringStrategy.RequestedToCapacityRatio.Point(utilization, score));
      point.finish();
    }
    if (points.isEmpty()) {
      arguments.problem(
          "shape", "must have at least one point, such as {utilization: 0, score: 0}");
      points.add(new ScoringStrategy.RequestedToCapacityRatio.Point(0, 0));
    }
    return points;
  }

  private static List<WeightedResource> resources(Arguments arguments) {
    List<WeightedResource> resources = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Arguments resource : arguments.objects("resources")) {
      String name = resource.text("name", "");
      long weight = resource.integer("weight", 1, 100, 1);
      resource.finish();
      if (name.isEmpty()) {
        resource.problem("name", "must name a resource, such as cpu or nvidia.com/gpu");
      } else if (!names.add(name)) {
        resource.problem("name", "\"" + name + "\" is given twice");
      } else {
        checkResource(resource, "name", name);
        resources.add(new WeightedResource(name, weight));
      }
    }
    if (resources.isEmpty()) {
      arguments.problem("resources", "must name at least one resource");
      resources.add(new WeightedResource(ResourceAmounts.CPU, 1));
    }
    return resources;
  }

  /**
   * Refuses what no node can offer: Kubernetes' own resources have fixed names, others a domain.
   */
  private static void checkResource(Arguments arguments, String field, String name) {
    boolean own = NATIVE.contains(name) || name.startsWith(HUGE_PAGES);
    if (!own && (!name.contains("/") || !LabelSyntax.ofLabelName(name).isEmpty())) {
      arguments.problem(
          field,
          "\""
              + name
              + "\" cannot be a resource of a node: there are "
              + String.join(", ", NATIVE)
              + ", "
              + HUGE_PAGES
              + "<size>, and extended resources with a domain, such as nvidia.com/gpu");
    }
  }
}
