package io.berth.crds.policy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The names of algorithms: the default set, and the names in kube-scheduler's Policy files before
 * 1.23 with the algorithms that replace them. Both SchedulingPolicies and legacy policies in
 * ConfigMaps are read with this table.
 */
public final class AlgorithmNames {

  /** Filters of the default set, in the order in which they run. */
  public static final List<String> DEFAULT_FILTERS =
      List.of(
          "NodeUnschedulable",
          "NodeName",
          "TaintToleration",
          "NodeAffinity",
          "NodePorts",
          "NodeResourcesFit",
          "GpuCards",
          "VolumeRestrictions",
          "NodeVolumeLimits",
          "VolumeBinding",
          "VolumeZone",
          "PodTopologySpread",
          "InterPodAffinity",
          "DynamicResources",
          "SingleDeviceSource",
          "NodeDeclaredFeatures");

  /** Filters whose conditions are checked again by the kubelet or by the node's GPU agent. */
  public static final Set<String> MANDATORY_FILTERS =
      Set.of(
          "NodeName",
          "NodeAffinity",
          "NodePorts",
          "NodeResourcesFit",
          "GpuCards",
          "DynamicResources");

  /** The score that minimizes the fragmentation of GPU cards. */
  public static final String GPU_FRAGMENTATION = "GpuFragmentation";

  /**
   * The default weight of {@link #GPU_FRAGMENTATION}, by which a fraction of a point of this score
   * outweighs all other scores.
   */
  public static final int GPU_FRAGMENTATION_WEIGHT = 1_000_000;

  /** Scores of the default set with their weights, in the order in which they are reported. */
  public static final Map<String, Integer> DEFAULT_WEIGHTS = defaultWeights();

  /**
   * The default weights of kube-scheduler before 1.23 (KubeSchedulerConfiguration up to v1beta2,
   * and Policy files), under the names of today's scores: user preferences weighed no more than the
   * rest, except for spreading.
   */
  public static final Map<String, Integer> WEIGHTS_BEFORE_1_23 = weightsBefore123();

  /** A legacy priority that gives every node the same score. */
  public static final String EQUAL_PRIORITY = "EqualPriority";

  private static final Map<String, List<String>> LEGACY_FILTERS = legacyFilters();
  private static final Map<String, String> LEGACY_SCORES = legacyScores();

  /** Algorithms that no longer exist, with the advice for each. */
  private static final Map<String, String> REPLACEMENTS =
      Map.ofEntries(
          Map.entry("CheckServiceAffinity", "use podAffinity in a PodSchedulerConfig"),
          Map.entry("ServiceAffinity", "use podAffinity in a PodSchedulerConfig"),
          Map.entry("CheckNodeLabelPresence", "use nodeAffinity in a NodeSchedulerConfig"),
          Map.entry("NodeLabel", "use preferred nodeAffinity in a NodeSchedulerConfig"),
          Map.entry("NodeLabelPriority", "use preferred nodeAffinity in a NodeSchedulerConfig"),
          Map.entry("NodePreferAvoidPods", "taint the nodes with effect PreferNoSchedule"),
          Map.entry("NodePreferAvoidPodsPriority", "taint the nodes with effect PreferNoSchedule"),
          Map.entry("ResourceLimitsPriority", "remove it"),
          Map.entry(
              "ServiceAntiAffinity", "use topologySpreadConstraints in a PodSchedulerConfig"));

  private AlgorithmNames() {}

  /** Returns the filters that replace a legacy filter; empty if the name is not one. */
  public static List<String> filtersOf(String legacyName) {
    return LEGACY_FILTERS.getOrDefault(legacyName, List.of());
  }

  /** Returns the score that replaces a legacy score; empty if the name is not one. */
  public static Optional<String> scoreOf(String legacyName) {
    return Optional.ofNullable(LEGACY_SCORES.get(legacyName));
  }

  /**
   * Returns the {@code scoringStrategy} of NodeResourcesFit that replaces a legacy score; empty if
   * there is none.
   */
  public static Optional<ObjectNode> strategyOf(String legacyName) {
    ObjectNode strategy = JsonNodeFactory.instance.objectNode();
    switch (legacyName) {
      case "LeastRequestedPriority" -> strategy.put("type", "LeastAllocated");
      case "MostRequestedPriority" -> strategy.put("type", "MostAllocated");
      case "RequestedToCapacityRatioPriority" -> {
        // The default shape: the emptier the node, the higher the score.
        strategy.put("type", "RequestedToCapacityRatio");
        var shape = strategy.putObject("requestedToCapacityRatio").putArray("shape");
        shape.addObject().put("utilization", 0).put("score", 10);
        shape.addObject().put("utilization", 100).put("score", 0);
      }
      default -> {
        return Optional.empty();
      }
    }
    return Optional.of(strategy);
  }

  /** Returns the advice for an algorithm that no longer exists; empty if there is none. */
  public static Optional<String> replacementOf(String name) {
    return Optional.ofNullable(REPLACEMENTS.get(name));
  }

  /** Returns all legacy names of filters. */
  public static Set<String> legacyFilterNames() {
    return Collections.unmodifiableSet(new TreeSet<>(LEGACY_FILTERS.keySet()));
  }

  /** Returns all legacy names of scores. */
  public static Set<String> legacyScoreNames() {
    return Collections.unmodifiableSet(new TreeSet<>(LEGACY_SCORES.keySet()));
  }

  private static Map<String, Integer> defaultWeights() {
    Map<String, Integer> weights = new LinkedHashMap<>();
    weights.put("TaintToleration", 3);
    weights.put("NodeAffinity", 2);
    weights.put("NodeResourcesFit", 1);
    weights.put("VolumeBinding", 1);
    weights.put("PodTopologySpread", 2);
    weights.put("InterPodAffinity", 2);
    weights.put("DynamicResources", 2);
    weights.put("NodeResourcesBalancedAllocation", 1);
    weights.put("ImageLocality", 1);
    return Collections.unmodifiableMap(weights);
  }

  private static Map<String, Integer> weightsBefore123() {
    Map<String, Integer> weights = defaultWeights();
    Map<String, Integer> before = new LinkedHashMap<>();
    weights.keySet().forEach(score -> before.put(score, score.equals("PodTopologySpread") ? 2 : 1));
    before.remove("DynamicResources");
    before.remove("VolumeBinding");
    return Collections.unmodifiableMap(before);
  }

  private static Map<String, List<String>> legacyFilters() {
    return Map.ofEntries(
        Map.entry("PodFitsHostPorts", List.of("NodePorts")),
        Map.entry("PodFitsPorts", List.of("NodePorts")),
        Map.entry("PodFitsResources", List.of("NodeResourcesFit")),
        Map.entry("HostName", List.of("NodeName")),
        Map.entry("MatchNodeSelector", List.of("NodeAffinity")),
        Map.entry(
            "GeneralPredicates",
            List.of("NodeName", "NodeAffinity", "NodePorts", "NodeResourcesFit")),
        Map.entry("PodToleratesNodeTaints", List.of("TaintToleration")),
        Map.entry("CheckNodeUnschedulable", List.of("NodeUnschedulable")),
        // The node controller has turned these conditions into taints since Kubernetes 1.12.
        Map.entry("CheckNodeCondition", List.of("NodeUnschedulable", "TaintToleration")),
        Map.entry("CheckNodeMemoryPressure", List.of("TaintToleration")),
        Map.entry("CheckNodeDiskPressure", List.of("TaintToleration")),
        Map.entry("CheckNodePIDPressure", List.of("TaintToleration")),
        Map.entry("NoDiskConflict", List.of("VolumeRestrictions")),
        Map.entry("NoVolumeZoneConflict", List.of("VolumeZone")),
        Map.entry("CheckVolumeBinding", List.of("VolumeBinding")),
        Map.entry("MaxEBSVolumeCount", List.of("NodeVolumeLimits")),
        Map.entry("MaxGCEPDVolumeCount", List.of("NodeVolumeLimits")),
        Map.entry("MaxAzureDiskVolumeCount", List.of("NodeVolumeLimits")),
        Map.entry("MaxCinderVolumeCount", List.of("NodeVolumeLimits")),
        Map.entry("MaxCSIVolumeCountPred", List.of("NodeVolumeLimits")),
        Map.entry("MatchInterPodAffinity", List.of("InterPodAffinity")),
        Map.entry("EvenPodsSpread", List.of("PodTopologySpread")));
  }

  private static Map<String, String> legacyScores() {
    return Map.ofEntries(
        Map.entry("LeastRequestedPriority", "NodeResourcesFit"),
        Map.entry("MostRequestedPriority", "NodeResourcesFit"),
        Map.entry("RequestedToCapacityRatioPriority", "NodeResourcesFit"),
        Map.entry("BalancedResourceAllocation", "NodeResourcesBalancedAllocation"),
        Map.entry("ImageLocalityPriority", "ImageLocality"),
        Map.entry("NodeAffinityPriority", "NodeAffinity"),
        Map.entry("TaintTolerationPriority", "TaintToleration"),
        Map.entry("InterPodAffinityPriority", "InterPodAffinity"),
        Map.entry("SelectorSpreadPriority", "PodTopologySpread"),
        Map.entry("ServiceSpreadingPriority", "PodTopologySpread"),
        Map.entry("EvenPodsSpreadPriority", "PodTopologySpread"));
  }
}
