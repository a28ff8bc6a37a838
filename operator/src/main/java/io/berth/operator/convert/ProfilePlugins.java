package io.berth.operator.convert;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.policy.AlgorithmNames;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The plugins of a kube-scheduler profile at each extension point: the default set, as modified by
 * {@code multiPoint} and then by the lists of the extension point itself.
 */
final class ProfilePlugins {

  static final String PREEMPTION = "DefaultPreemption";

  private static final String ALL = "*";
  private static final String MULTI_POINT = "multiPoint";

  /** Plugins that neither filter nor score, with their equivalent in Berth. */
  private static final Map<String, String> BUILT_IN =
      Map.of(
          "PrioritySort",
          "Berth always sorts pods by priority, then by age",
          "SchedulingGates",
          "Berth always holds pods with scheduling gates",
          "DefaultBinder",
          "Berth always binds pods by the Binding subresource",
          PREEMPTION,
          "spec.preemption");

  /** The extension points at which plugins only prepare or complete their work. */
  private static final List<String> OTHER_POINTS =
      List.of(
          "preEnqueue",
          "queueSort",
          "preFilter",
          "preScore",
          "reserve",
          "unreserve",
          "permit",
          "preBind",
          "bind",
          "postBind");

  private final JsonNode plugins;
  private final String place;
  private final Map<String, Integer> defaultWeights;
  private final Consumer<String> lost;
  private final Consumer<String> notes;

  /**
   * Reads a profile.
   *
   * @param plugins the profile's {@code plugins}
   * @param place their path in the file
   * @param defaultWeights the scores of the default set with their weights
   * @param lost receives the settings without an equivalent
   * @param notes receives the settings that change nothing
   */
  ProfilePlugins(
      JsonNode plugins,
      String place,
      Map<String, Integer> defaultWeights,
      Consumer<String> lost,
      Consumer<String> notes) {
    this.plugins = plugins;
    this.place = place;
    this.defaultWeights = defaultWeights;
    this.notes = notes;
    this.lost = lost;
  }

  /** Returns the enabled filters. */
  Set<String> filters() {
    return at("filter", new LinkedHashSet<>(AlgorithmNames.DEFAULT_FILTERS)).keySet();
  }

  /** Returns the enabled scores with their weights. */
  Map<String, Integer> scores() {
    Map<String, Integer> scores = at("score", AlgorithmNames.DEFAULT_WEIGHTS.keySet());
    scores.replaceAll((name, weight) -> weight == 0 ? 1 : weight);
    return scores;
  }

  boolean preempts() {
    return at("postFilter", Set.of(PREEMPTION)).containsKey(PREEMPTION);
  }

  /**
   * Reports plugins that Berth does not have, and plugins that are disabled at a single point where
   * Berth cannot do that.
   */
  void reportTheRest() {
    plugins
        .properties()
        .forEach(
            point -> {
              JsonNode enabled = point.getValue().path("enabled");
              for (int i = 0; i < enabled.size(); i++) {
                String name = enabled.get(i).path("name").asText();
                if (!enabled.get(i).isNull() && !isKnown(name)) {
                  lost.accept(
                      "%s.%s.enabled[%d]: Berth has no plugin %s; %s"
                          .formatted(
                              place,
                              point.getKey(),
                              i,
                              name,
                              FormerPlugins.adviceOn(name)
                                  .orElse(
                                      "an extender, or the configs that the webhook renders, may do"
                                          + " its work")));
                }
              }
              JsonNode disabled = point.getValue().path("disabled");
              for (int i = 0; i < disabled.size(); i++) {
                String name = disabled.get(i).path("name").asText();
                if (!disabled.get(i).isNull() && !name.equals(ALL) && !isKnown(name)) {
                  notes.accept(
                      "%s.%s.disabled[%d]: Berth has no plugin %s, so nothing changes"
                          .formatted(place, point.getKey(), i, name));
                }
              }
            });
    Set<String> used = new LinkedHashSet<>(filters());
    used.addAll(scores().keySet());
    used.addAll(BUILT_IN.keySet());
    for (String point : OTHER_POINTS) {
      JsonNode disabled = plugins.path(point).path("disabled");
      for (int i = 0; i < disabled.size(); i++) {
        String name = disabled.get(i).path("name").asText();
        if (used.contains(name)) {
          lost.accept(
              "%s.%s.disabled[%d]: %s cannot be disabled at %s alone: %s"
                  .formatted(
                      place,
                      point,
                      i,
                      name,
                      point,
                      BUILT_IN.getOrDefault(
                          name,
                          "in Berth an algorithm can only be disabled as a filter or as a score")));
        }
      }
    }
    JsonNode everywhere = plugins.path(MULTI_POINT).path("disabled");
    for (int i = 0; i < everywhere.size(); i++) {
      String name = everywhere.get(i).path("name").asText();
      if (BUILT_IN.containsKey(name) && !name.equals(PREEMPTION)) {
        lost.accept("%s.%s.disabled[%d]: %s".formatted(place, MULTI_POINT, i, BUILT_IN.get(name)));
      }
    }
  }

  static boolean isKnown(String name) {
    return AlgorithmNames.DEFAULT_FILTERS.contains(name)
        || AlgorithmNames.DEFAULT_WEIGHTS.containsKey(name)
        || BUILT_IN.containsKey(name);
  }

  /**
   * Returns the enabled plugins at an extension point that implement it, with their weights; 0 if
   * there is none.
   */
  private Map<String, Integer> at(String point, Set<String> implementing) {
    JsonNode own = plugins.path(point);
    Map<String, Integer> result = new LinkedHashMap<>();
    own.path("enabled").forEach(plugin -> put(result, plugin, implementing));
    Set<String> disabled = names(own.path("disabled"));
    if (!disabled.contains(ALL)) {
      everywhere(implementing)
          .forEach(
              (name, weight) -> {
                if (!disabled.contains(name)) {
                  result.putIfAbsent(name, weight);
                }
              });
    }
    return result;
  }

  private Map<String, Integer> everywhere(Set<String> implementing) {
    JsonNode multiPoint = plugins.path(MULTI_POINT);
    Set<String> disabled = names(multiPoint.path("disabled"));
    Map<String, Integer> result = new LinkedHashMap<>();
    if (!disabled.contains(ALL)) {
      for (String name : implementing) {
        if (!disabled.contains(name)) {
          result.put(name, defaultWeights.getOrDefault(name, 0));
        }
      }
    }
    multiPoint.path("enabled").forEach(plugin -> put(result, plugin, implementing));
    return result;
  }

  private static void put(Map<String, Integer> result, JsonNode plugin, Set<String> implementing) {
    String name = plugin.path("name").asText();
    if (implementing.contains(name)) {
      result.put(name, plugin.path("weight").asInt(0));
    }
  }

  private static Set<String> names(JsonNode list) {
    Set<String> names = new LinkedHashSet<>();
    list.forEach(plugin -> names.add(plugin.path("name").asText()));
    return names;
  }
}
