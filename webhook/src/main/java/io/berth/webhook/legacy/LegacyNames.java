package io.berth.webhook.legacy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The names of the old Policy file, and the algorithms that do their work today. What has no equal
 * today is told with what to use instead.
 */
final class LegacyNames {
  /** Filters of the default set; one that a policy does not list is switched off by it. */
  static final List<String> DEFAULT_FILTERS =
      List.of(
          "NodeUnschedulable",
          "NodeName",
          "TaintToleration",
          "NodeAffinity",
          "NodePorts",
          "NodeResourcesFit",
          "VolumeRestrictions",
          "NodeVolumeLimits",
          "VolumeBinding",
          "VolumeZone",
          "PodTopologySpread",
          "InterPodAffinity");

  /**
   * The filters that are always on: the old scheduler added the first two to every policy, the
   * kubelet has the others.
   */
  static final List<String> MANDATORY_FILTERS =
      List.of(
          "NodeUnschedulable",
          "TaintToleration",
          "NodeName",
          "NodeAffinity",
          "NodePorts",
          "NodeResourcesFit");

  /** Scores of the default set; one that a policy does not list has no weight in it. */
  static final List<String> DEFAULT_SCORES =
      List.of(
          "TaintToleration",
          "NodeAffinity",
          "PodTopologySpread",
          "InterPodAffinity",
          "NodeResourcesFit",
          "NodeResourcesBalancedAllocation",
          "ImageLocality");

  private static final Map<String, List<String>> FILTERS = filters();
  private static final Map<String, String> SCORES = scores();
  private static final Map<String, String> WITHOUT_EQUAL =
      Map.of(
          "CheckServiceAffinity", "use podAffinity in a PodSchedulerConfig",
          "ServiceAffinity", "use podAffinity in a PodSchedulerConfig",
          "CheckNodeLabelPresence", "use nodeAffinity in a NodeSchedulerConfig",
          "NodePreferAvoidPodsPriority", "taint the nodes with effect PreferNoSchedule",
          "ResourceLimitsPriority", "leave it out",
          "ServiceSpreadingPriority", "use topologySpreadConstraints in a PodSchedulerConfig",
          "ServiceAntiAffinity", "use topologySpreadConstraints in a PodSchedulerConfig",
          "NodeLabel", "use preferred nodeAffinity in a NodeSchedulerConfig");

  private LegacyNames() {}

  /** The filters behind an old or a present name; none where it is unknown or without equal. */
  static List<String> filters(String name) {
    return DEFAULT_FILTERS.contains(name) ? List.of(name) : FILTERS.getOrDefault(name, List.of());
  }

  /** The score behind an old or a present name; empty where it is unknown or without equal. */
  static String score(String name) {
    return DEFAULT_SCORES.contains(name) ? name : SCORES.getOrDefault(name, "");
  }

  /** What to do instead of an algorithm that has no equal; empty where it is unknown. */
  static String instead(String name) {
    return WITHOUT_EQUAL.getOrDefault(name, "");
  }

  static Set<String> knownFilters() {
    TreeSet<String> known = new TreeSet<>(FILTERS.keySet());
    known.addAll(DEFAULT_FILTERS);
    return known;
  }

  static Set<String> knownScores() {
    TreeSet<String> known = new TreeSet<>(SCORES.keySet());
    known.addAll(DEFAULT_SCORES);
    return known;
  }

  private static Map<String, List<String>> filters() {
    Map<String, List<String>> filters = new LinkedHashMap<>();
    filters.put("PodFitsHostPorts", List.of("NodePorts"));
    filters.put("PodFitsPorts", List.of("NodePorts"));
    filters.put("PodFitsResources", List.of("NodeResourcesFit"));
    filters.put("HostName", List.of("NodeName"));
    filters.put("MatchNodeSelector", List.of("NodeAffinity"));
    filters.put(
        "GeneralPredicates", List.of("NodeResourcesFit", "NodeName", "NodePorts", "NodeAffinity"));
    filters.put("PodToleratesNodeTaints", List.of("TaintToleration"));
    filters.put("CheckNodeUnschedulable", List.of("NodeUnschedulable"));
    // The node controller has turned these conditions into taints since Kubernetes 1.12.
    filters.put("CheckNodeCondition", List.of("NodeUnschedulable", "TaintToleration"));
    filters.put("CheckNodeMemoryPressure", List.of("TaintToleration"));
    filters.put("CheckNodeDiskPressure", List.of("TaintToleration"));
    filters.put("CheckNodePIDPressure", List.of("TaintToleration"));
    filters.put("NoDiskConflict", List.of("VolumeRestrictions"));
    filters.put("NoVolumeZoneConflict", List.of("VolumeZone"));
    filters.put("CheckVolumeBinding", List.of("VolumeBinding"));
    for (String limit :
        List.of(
            "MaxEBSVolumeCount",
            "MaxGCEPDVolumeCount",
            "MaxAzureDiskVolumeCount",
            "MaxCinderVolumeCount",
            "MaxCSIVolumeCountPred")) {
      filters.put(limit, List.of("NodeVolumeLimits"));
    }
    filters.put("MatchInterPodAffinity", List.of("InterPodAffinity"));
    filters.put("EvenPodsSpread", List.of("PodTopologySpread"));
    return filters;
  }

  private static Map<String, String> scores() {
    Map<String, String> scores = new LinkedHashMap<>();
    scores.put("LeastRequestedPriority", "NodeResourcesFit");
    scores.put("MostRequestedPriority", "NodeResourcesFit");
    scores.put("RequestedToCapacityRatioPriority", "NodeResourcesFit");
    scores.put("BalancedResourceAllocation", "NodeResourcesBalancedAllocation");
    scores.put("ImageLocalityPriority", "ImageLocality");
    scores.put("NodeAffinityPriority", "NodeAffinity");
    scores.put("TaintTolerationPriority", "TaintToleration");
    scores.put("InterPodAffinityPriority", "InterPodAffinity");
    scores.put("SelectorSpreadPriority", "PodTopologySpread");
    scores.put("EvenPodsSpreadPriority", "PodTopologySpread");
    return scores;
  }
}
