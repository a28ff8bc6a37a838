package io.berth.operator.query;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.decision.Rejection;
import io.berth.engine.model.PodModel;
import io.berth.engine.whatif.PoolUsage;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Rejections of nodes in a form that programs read: a code, and the figures behind it. */
final class ReviewReasons {
  private static final String INSUFFICIENT = "Insufficient ";

  private static final Map<String, String> CODES =
      Map.ofEntries(
          Map.entry("NodeName", "OtherNodeNamed"),
          Map.entry("NodeUnschedulable", "NodeCordoned"),
          Map.entry("TaintToleration", "UntoleratedTaint"),
          Map.entry("NodeAffinity", "NodeAffinityMismatch"),
          Map.entry("NodePorts", "HostPortInUse"),
          Map.entry("NodeResourcesFit", "InsufficientResource"),
          Map.entry("NodeDeclaredFeatures", "FeatureMissing"),
          Map.entry("VolumeRestrictions", "VolumeInUse"),
          Map.entry("NodeVolumeLimits", "TooManyVolumes"),
          Map.entry("VolumeBinding", "VolumeUnavailable"),
          Map.entry("VolumeZone", "VolumeInOtherZone"),
          Map.entry("PodTopologySpread", "SpreadViolated"),
          Map.entry("InterPodAffinity", "PodAffinityMismatch"),
          Map.entry("DynamicResources", "DevicesUnavailable"),
          Map.entry("SingleDeviceSource", "DevicesUnavailable"),
          Map.entry("GpuCards", "CardsUnavailable"));

  private ReviewReasons() {}

  /** Writes the rejections, with what the pod wants and what is free on the best node. */
  static void write(ArrayNode list, List<Rejection> rejections, PodModel pod, PoolUsage usage) {
    for (Rejection rejection : merged(rejections)) {
      String resource =
          rejection.reason().startsWith(INSUFFICIENT)
              ? rejection.reason().substring(INSUFFICIENT.length())
              : "";
      ObjectNode item =
          list.addObject()
              .put("code", code(rejection))
              .put("plugin", rejection.plugin())
              .put("message", rejection.reason())
              .put("nodes", rejection.nodes())
              .put("evictionMayHelp", rejection.resolvable());
      if (!resource.isEmpty()) {
        item.put("resource", resource);
        item.put(
            "wanted", Quantities.text(resource, pod.spec().requests().asked().amountOf(resource)));
        usage
            .of(resource)
            .ifPresent(free -> item.put("free", Quantities.text(resource, free.largestFree())));
      }
    }
  }

  /** Returns one rejection for each reason; nodes count apart that are rejected for others too. */
  private static List<Rejection> merged(List<Rejection> rejections) {
    Map<Rejection, Integer> nodes = new LinkedHashMap<>();
    for (Rejection each : rejections) {
      nodes.merge(
          new Rejection(each.plugin(), each.reason(), each.resolvable(), 0),
          each.nodes(),
          Integer::sum);
    }
    return nodes.entrySet().stream()
        .map(
            each ->
                new Rejection(
                    each.getKey().plugin(),
                    each.getKey().reason(),
                    each.getKey().resolvable(),
                    each.getValue()))
        .toList();
  }

  private static String code(Rejection rejection) {
    if (rejection.reason().equals("Too many pods")) {
      return "TooManyPods";
    }
    return CODES.getOrDefault(rejection.plugin(), "Other");
  }
}
