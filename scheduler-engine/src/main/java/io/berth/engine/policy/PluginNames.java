package io.berth.engine.policy;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** The names of algorithms, and those they had in the Policy files of old. */
final class PluginNames {
  private PluginNames() {}

  /** The kubelet checks these again, so that a policy without them would bind pods in vain. */
  static final Set<String> MANDATORY =
      Set.of("NodeName", "NodeAffinity", "NodePorts", "NodeResourcesFit");

  /** Filters of old by the filters that do the same. */
  static final Map<String, List<String>> OLD_PREDICATES =
      Map.ofEntries(
          Map.entry("PodFitsResources", List.of("NodeResourcesFit")),
          Map.entry("PodFitsHostPorts", List.of("NodePorts")),
          Map.entry("PodFitsPorts", List.of("NodePorts")),
          Map.entry("HostName", List.of("NodeName")),
          Map.entry("MatchNodeSelector", List.of("NodeAffinity")),
          Map.entry(
              "GeneralPredicates",
              List.of("NodeName", "NodeAffinity", "NodePorts", "NodeResourcesFit")),
          Map.entry("PodToleratesNodeTaints", List.of("TaintToleration")),
          Map.entry("CheckNodeUnschedulable", List.of("NodeUnschedulable")),
          Map.entry("NoDiskConflict", List.of("VolumeRestrictions")),
          Map.entry("NoVolumeZoneConflict", List.of("VolumeZone")),
          Map.entry("CheckVolumeBinding", List.of("VolumeBinding")),
          Map.entry("MaxCSIVolumeCountPred", List.of("NodeVolumeLimits")),
          Map.entry("MaxEBSVolumeCount", List.of("NodeVolumeLimits")),
          Map.entry("MaxGCEPDVolumeCount", List.of("NodeVolumeLimits")),
          Map.entry("MaxAzureDiskVolumeCount", List.of("NodeVolumeLimits")),
          Map.entry("MaxCinderVolumeCount", List.of("NodeVolumeLimits")),
          Map.entry("MatchInterPodAffinity", List.of("InterPodAffinity")),
          Map.entry("EvenPodsSpread", List.of("PodTopologySpread")));

  /** Scores of old by the scores that do the same. */
  static final Map<String, String> OLD_PRIORITIES =
      Map.ofEntries(
          Map.entry("LeastRequestedPriority", "NodeResourcesFit"),
          Map.entry("MostRequestedPriority", "NodeResourcesFit"),
          Map.entry("RequestedToCapacityRatioPriority", "NodeResourcesFit"),
          Map.entry("BalancedResourceAllocation", "NodeResourcesBalancedAllocation"),
          Map.entry("NodeAffinityPriority", "NodeAffinity"),
          Map.entry("TaintTolerationPriority", "TaintToleration"),
          Map.entry("ImageLocalityPriority", "ImageLocality"),
          Map.entry("InterPodAffinityPriority", "InterPodAffinity"),
          Map.entry("SelectorSpreadPriority", "PodTopologySpread"),
          Map.entry("ServiceSpreadingPriority", "PodTopologySpread"),
          Map.entry("EvenPodsSpreadPriority", "PodTopologySpread"));

  /** What a name of old says about the strategy of NodeResourcesFit. */
  static final Map<String, String> OLD_STRATEGIES =
      Map.of(
          "LeastRequestedPriority", "LeastAllocated",
          "MostRequestedPriority", "MostAllocated",
          "RequestedToCapacityRatioPriority", "RequestedToCapacityRatio");

  /** Names that are known and cannot be served yet. */
  static final Set<String> NOT_YET =
      Set.of(
          "WaterLevel",
          "MostAvailable",
          "NodePreferAvoidPods",
          "NodePreferAvoidPodsPriority",
          "ResourceLimitsPriority",
          "NodeLabel",
          "ServiceAffinity",
          "CheckNodeLabelPresence",
          "CheckServiceAffinity",
          "DynamicResources");
}
