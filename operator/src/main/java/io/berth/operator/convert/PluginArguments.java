package io.berth.operator.convert;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The {@code pluginConfig} of a profile. In kube-scheduler a plugin has one set of arguments; in a
 * SchedulingPolicy the filter and the score of that name have their own.
 */
final class PluginArguments {

  private static final Set<String> TYPE = Set.of("apiVersion", "kind");
  private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
  private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";
  private static final String CONSTRAINTS = "defaultConstraints";

  /** Arguments without an equivalent in Berth, with the value that can be ignored. */
  private static final Map<String, Map<String, Integer>> UNUSED =
      Map.of(
          ProfilePlugins.PREEMPTION,
          Map.of("minCandidateNodesPercentage", 10, "minCandidateNodesAbsolute", 100),
          "VolumeBinding",
          Map.of("bindTimeoutSeconds", 600));

  private final Map<String, Map<String, JsonNode>> ofFilters = new LinkedHashMap<>();
  private final Map<String, Map<String, JsonNode>> ofScores = new LinkedHashMap<>();
  private final Consumer<String> lost;

  PluginArguments(JsonNode pluginConfig, String place, Consumer<String> lost) {
    this.lost = lost;
    for (int i = 0; i < pluginConfig.size(); i++) {
      JsonNode entry = pluginConfig.get(i);
      read(entry.path("name").asText(), entry.path("args"), place + "[" + i + "]");
    }
  }

  Map<String, JsonNode> ofFilter(String name) {
    return ofFilters.getOrDefault(name, Map.of());
  }

  Map<String, JsonNode> ofScore(String name) {
    return ofScores.getOrDefault(name, Map.of());
  }

  private void read(String plugin, JsonNode args, String place) {
    if (!ProfilePlugins.isKnown(plugin)) {
      lost.accept(
          "%s: Berth has no plugin %s%s"
              .formatted(
                  place,
                  plugin,
                  FormerPlugins.adviceOn(plugin).map(advice -> "; " + advice).orElse("")));
      return;
    }
    for (Map.Entry<String, JsonNode> argument : args.properties()) {
      String name = argument.getKey();
      if (!TYPE.contains(name) && !argument.getValue().isNull()) {
        read(plugin, name, argument.getValue(), place + ".args." + name);
      }
    }
  }

  private void read(String plugin, String name, JsonNode value, String place) {
    switch (plugin + "." + name) {
      case "NodeResourcesFit.ignoredResources", "NodeResourcesFit.ignoredResourceGroups" ->
          put(ofFilters, plugin, name, value);
      case "NodeResourcesFit.scoringStrategy",
          "NodeResourcesBalancedAllocation.resources",
          "VolumeBinding.shape",
          "InterPodAffinity.hardPodAffinityWeight",
          "InterPodAffinity.ignorePreferredTermsOfExistingPods" ->
          put(ofScores, plugin, name, value);
      case "NodeAffinity.addedAffinity" -> {
        part(ofFilters, plugin, name, value, REQUIRED);
        part(ofScores, plugin, name, value, PREFERRED);
      }
      case "PodTopologySpread.defaultingType" -> {
        put(ofFilters, plugin, name, value);
        put(ofScores, plugin, name, value);
      }
      case "PodTopologySpread.defaultConstraints" -> {
        constraints(ofFilters, plugin, value, "DoNotSchedule");
        constraints(ofScores, plugin, value, "ScheduleAnyway");
      }
      default -> {
        Integer unchanged = UNUSED.getOrDefault(plugin, Map.of()).get(name);
        if (unchanged == null || value.asInt() != unchanged) {
          lost.accept("%s: has no equivalent in Berth".formatted(place));
        }
      }
    }
  }

  private static void part(
      Map<String, Map<String, JsonNode>> list,
      String plugin,
      String name,
      JsonNode affinity,
      String part) {
    if (affinity.has(part)) {
      ObjectNode only = JsonNodeFactory.instance.objectNode();
      only.set(part, affinity.get(part));
      put(list, plugin, name, only);
    }
  }

  private static void constraints(
      Map<String, Map<String, JsonNode>> list, String plugin, JsonNode all, String action) {
    ArrayNode matching = JsonNodeFactory.instance.arrayNode();
    for (JsonNode constraint : all) {
      if (constraint.path("whenUnsatisfiable").asText().equals(action)) {
        matching.add(constraint);
      }
    }
    if (!matching.isEmpty()) {
      put(list, plugin, CONSTRAINTS, matching);
    }
  }

  private static void put(
      Map<String, Map<String, JsonNode>> list, String plugin, String name, JsonNode value) {
    list.computeIfAbsent(plugin, key -> new LinkedHashMap<>()).put(name, value);
  }
}
