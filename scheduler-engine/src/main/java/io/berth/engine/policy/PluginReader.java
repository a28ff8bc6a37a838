package io.berth.engine.policy;

import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.ScorePlugin;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.Operator;
import io.berth.engine.model.Requirement;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.model.SpreadConstraint;
import io.berth.engine.model.WeightedNodeTerm;
import io.berth.engine.plugins.ImageLocality;
import io.berth.engine.plugins.InterPodAffinity;
import io.berth.engine.plugins.NodeAffinity;
import io.berth.engine.plugins.NodeName;
import io.berth.engine.plugins.NodePorts;
import io.berth.engine.plugins.NodeResourcesBalancedAllocation;
import io.berth.engine.plugins.NodeResourcesFit;
import io.berth.engine.plugins.NodeUnschedulable;
import io.berth.engine.plugins.NodeVolumeLimits;
import io.berth.engine.plugins.PodTopologySpread;
import io.berth.engine.plugins.ScoringStrategy;
import io.berth.engine.plugins.TaintToleration;
import io.berth.engine.plugins.VolumeBinding;
import io.berth.engine.plugins.VolumeRestrictions;
import io.berth.engine.plugins.VolumeZone;
import io.berth.engine.plugins.WeightedResource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The registry: every algorithm by its name, made of its arguments.
 *
 * <p>A new algorithm needs its own file, what reads its arguments, and one line here.
 */
final class PluginReader {
  /** In the order in which nodes are held against them. */
  static final Map<String, Function<Arguments, FilterPlugin>> FILTERS = filters();

  /** In the order in which scores are reported. */
  static final Map<String, Function<Arguments, ScorePlugin>> SCORES = scores();

  /** The default set of scores with its weights. */
  static final Map<String, Integer> DEFAULT_WEIGHTS =
      Map.of(
          "TaintToleration", 3,
          "NodeAffinity", 2,
          "NodeResourcesFit", 1,
          "PodTopologySpread", 2,
          "InterPodAffinity", 2,
          "NodeResourcesBalancedAllocation", 1,
          "ImageLocality", 1);

  private PluginReader() {}

  private static Map<String, Function<Arguments, FilterPlugin>> filters() {
    Map<String, Function<Arguments, FilterPlugin>> filters = new LinkedHashMap<>();
    filters.put("NodeUnschedulable", arguments -> new NodeUnschedulable());
    filters.put("NodeName", arguments -> new NodeName());
    filters.put("TaintToleration", arguments -> new TaintToleration());
    filters.put("NodeAffinity", PluginReader::nodeAffinity);
    filters.put("NodePorts", arguments -> new NodePorts());
    filters.put("NodeResourcesFit", PluginReader::fit);
    filters.put("VolumeRestrictions", arguments -> new VolumeRestrictions());
    filters.put("NodeVolumeLimits", arguments -> new NodeVolumeLimits());
    filters.put("VolumeBinding", arguments -> new VolumeBinding());
    filters.put("VolumeZone", arguments -> new VolumeZone());
    filters.put("PodTopologySpread", PluginReader::spread);
    filters.put("InterPodAffinity", PluginReader::interPodAffinity);
    return filters;
  }

  private static Map<String, Function<Arguments, ScorePlugin>> scores() {
    Map<String, Function<Arguments, ScorePlugin>> scores = new LinkedHashMap<>();
    scores.put("TaintToleration", arguments -> new TaintToleration());
    scores.put("NodeAffinity", PluginReader::nodeAffinity);
    scores.put("NodeResourcesFit", PluginReader::fit);
    scores.put("PodTopologySpread", PluginReader::spread);
    scores.put("InterPodAffinity", PluginReader::interPodAffinity);
    scores.put("NodeResourcesBalancedAllocation", PluginReader::balanced);
    scores.put("ImageLocality", PluginReader::imageLocality);
    return scores;
  }

  private static ImageLocality imageLocality(Arguments arguments) {
    ImageLocality defaults = new ImageLocality();
    long min = arguments.integer("minThresholdBytes", 0, 1L << 50, defaults.minThresholdBytes());
    long max =
        arguments.integer(
            "maxContainerThresholdBytes", 1, 1L << 50, defaults.maxContainerThresholdBytes());
    if (max <= min) {
      arguments.problem(
          "maxContainerThresholdBytes",
          "must be more than minThresholdBytes, which is " + min + ", not " + max);
      return defaults;
    }
    return new ImageLocality(min, max);
  }

  private static InterPodAffinity interPodAffinity(Arguments arguments) {
    return new InterPodAffinity(
        (int) arguments.integer("hardPodAffinityWeight", 0, 100, 1),
        arguments.bool("ignorePreferredTermsOfExistingPods", false));
  }

  private static NodeResourcesBalancedAllocation balanced(Arguments arguments) {
    return arguments.has("resources")
        ? new NodeResourcesBalancedAllocation(resources(arguments))
        : new NodeResourcesBalancedAllocation();
  }

  private static NodeResourcesFit fit(Arguments arguments) {
    List<String> groups = arguments.texts("ignoredResourceGroups");
    for (String group : groups) {
      if (group.contains("/")) {
        arguments.problem(
            "ignoredResourceGroups", "\"" + group + "\" must not contain \"/\"; give the prefix");
      }
    }
    return new NodeResourcesFit(
        Set.copyOf(arguments.texts("ignoredResources")),
        Set.copyOf(groups),
        strategy(arguments.object("scoringStrategy")));
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
    Arguments ratio = arguments.object("requestedToCapacityRatio");
    ScoringStrategy strategy =
        switch (type) {
          case "MostAllocated" -> new ScoringStrategy.MostAllocated(resources);
          case "RequestedToCapacityRatio" ->
              new ScoringStrategy.RequestedToCapacityRatio(resources, curve(ratio));
          default -> new ScoringStrategy.LeastAllocated(resources);
        };
    if (type.equals("RequestedToCapacityRatio")) {
      ratio.finish();
    }
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
        resources.add(new WeightedResource(name, weight));
      }
    }
    if (resources.isEmpty()) {
      arguments.problem("resources", "must name at least one resource");
      resources.add(new WeightedResource(ResourceAmounts.CPU, 1));
    }
    return resources;
  }

  private static PodTopologySpread spread(Arguments arguments) {
    List<Arguments> given = arguments.objects("defaultConstraints");
    String type =
        arguments.oneOf(
            "defaultingType", List.of("System", "List"), given.isEmpty() ? "System" : "List");
    List<SpreadConstraint> constraints = new ArrayList<>();
    for (Arguments constraint : given) {
      int maxSkew = (int) constraint.integer("maxSkew", 1, Integer.MAX_VALUE, 1);
      String key = constraint.text("topologyKey", "");
      String action =
          constraint.oneOf(
              "whenUnsatisfiable", List.of("DoNotSchedule", "ScheduleAnyway"), "ScheduleAnyway");
      constraint.finish();
      if (key.isEmpty()) {
        constraint.problem(
            "topologyKey", "must name a node label, such as topology.kubernetes.io/zone");
      }
      constraints.add(
          new SpreadConstraint(
              maxSkew,
              key,
              action.equals("DoNotSchedule"),
              LabelSelector.nothing(),
              1,
              true,
              false));
    }
    if (type.equals("System")) {
      if (!constraints.isEmpty()) {
        arguments.problem(
            "defaultConstraints", "must be empty where defaultingType is System; use List");
      }
      return new PodTopologySpread();
    }
    return new PodTopologySpread(constraints, false);
  }

  private static NodeAffinity nodeAffinity(Arguments arguments) {
    if (!arguments.has("addedAffinity")) {
      return new NodeAffinity();
    }
    Arguments added = arguments.object("addedAffinity");
    Optional<List<NodeTerm>> required = Optional.empty();
    if (added.has("requiredDuringSchedulingIgnoredDuringExecution")) {
      Arguments selector = added.object("requiredDuringSchedulingIgnoredDuringExecution");
      List<NodeTerm> terms = new ArrayList<>();
      for (Arguments term : selector.objects("nodeSelectorTerms")) {
        terms.add(term(term));
      }
      selector.finish();
      required = Optional.of(terms);
    }
    List<WeightedNodeTerm> preferred = new ArrayList<>();
    for (Arguments preference : added.objects("preferredDuringSchedulingIgnoredDuringExecution")) {
      int weight = (int) preference.integer("weight", 1, 100, 1);
      preferred.add(new WeightedNodeTerm(weight, term(preference.object("preference"))));
      preference.finish();
    }
    added.finish();
    return new NodeAffinity(new NodeSelection(Map.of(), required, preferred));
  }

  private static NodeTerm term(Arguments term) {
    List<Requirement> expressions = requirements(term.objects("matchExpressions"));
    List<Requirement> fields = requirements(term.objects("matchFields"));
    term.finish();
    return new NodeTerm(expressions, fields, false);
  }

  private static List<Requirement> requirements(List<Arguments> given) {
    Map<String, Operator> operators =
        Map.of(
            "In", Operator.IN,
            "NotIn", Operator.NOT_IN,
            "Exists", Operator.EXISTS,
            "DoesNotExist", Operator.DOES_NOT_EXIST,
            "Gt", Operator.GREATER_THAN,
            "Lt", Operator.LESS_THAN);
    List<Requirement> requirements = new ArrayList<>();
    for (Arguments requirement : given) {
      String key = requirement.text("key", "");
      Operator operator =
          operators.getOrDefault(
              requirement.oneOf("operator", operators.keySet(), "In"), Operator.IN);
      List<String> values = requirement.texts("values");
      requirement.finish();
      if (key.isEmpty()) {
        requirement.problem("key", "must name a label");
      }
      boolean bound = operator == Operator.GREATER_THAN || operator == Operator.LESS_THAN;
      if (bound && (values.size() != 1 || Requirement.integer(values.getFirst()).isEmpty())) {
        requirement.problem("values", "must be one integer in quotes, for Gt and Lt");
        continue;
      }
      boolean listed = operator == Operator.IN || operator == Operator.NOT_IN;
      if (listed == values.isEmpty() && !bound) {
        requirement.problem(
            "values", listed ? "must not be empty, for In and NotIn" : "must be empty");
        continue;
      }
      requirements.add(new Requirement(key, operator, values));
    }
    return requirements;
  }
}
