package io.berth.operator.convert;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.policy.AlgorithmNames;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Rewrites a profile of an older version so that it uses the plugins of today: the strategies of
 * NodeResourcesFit, the limits of cloud volumes, and the spreading by selectors have become
 * arguments or parts of other plugins.
 */
final class FormerPlugins {
  private static final String FIT = "NodeResourcesFit";
  private static final String SPREAD = "PodTopologySpread";
  private static final String MULTI_POINT = "multiPoint";

  /** Former plugins that are a strategy of NodeResourcesFit today. */
  private static final Map<String, String> STRATEGIES =
      Map.of(
          "NodeResourcesLeastAllocated", "LeastAllocated",
          "NodeResourcesMostAllocated", "MostAllocated",
          "RequestedToCapacityRatio", "RequestedToCapacityRatio");

  private static final Set<String> VOLUME_LIMITS =
      Set.of("EBSLimits", "GCEPDLimits", "AzureDiskLimits", "CinderLimits");
  private static final Set<String> SELECTOR_SPREAD =
      Set.of("SelectorSpread", "DefaultPodTopologySpread");
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final ConfigurationVersion version;
  private final ObjectNode profile;
  private final String place;
  private final Consumer<String> lost;
  private final Consumer<String> notes;
  private final Set<String> strategies = new LinkedHashSet<>();
  private final Map<String, JsonNode> argumentsOfStrategies = new LinkedHashMap<>();
  private boolean leastAllocatedIsOff;

  private FormerPlugins(
      ConfigurationVersion version,
      ObjectNode profile,
      String place,
      Consumer<String> lost,
      Consumer<String> notes) {
    this.version = version;
    this.profile = profile;
    this.place = place;
    this.lost = lost;
    this.notes = notes;
  }

  /**
   * Returns the profile with the plugins of today.
   *
   * @param place the path of the profile in the file with a dot at its end; empty for the file
   *     itself
   * @param lost receives what cannot be expressed
   * @param notes receives what is expressed in another way
   */
  static JsonNode renamed(
      ConfigurationVersion version,
      JsonNode profile,
      String place,
      Consumer<String> lost,
      Consumer<String> notes) {
    ObjectNode own = profile.isObject() ? profile.deepCopy() : JSON.objectNode();
    FormerPlugins former = new FormerPlugins(version, own, place, lost, notes);
    former.arguments();
    former.plugins();
    former.strategy();
    return own;
  }

  /** Returns the advice for a plugin that no longer exists; empty if there is none. */
  static Optional<String> adviceOn(String plugin) {
    return plugin.equals("NodeResourceLimits")
        ? Optional.of("remove it")
        : AlgorithmNames.replacementOf(plugin);
  }

  private void plugins() {
    for (Map.Entry<String, JsonNode> point : profile.path("plugins").properties()) {
      String at = place + "plugins." + point.getKey();
      if (point.getValue() instanceof ObjectNode lists) {
        for (String list : List.of("disabled", "enabled")) {
          if (lists.path(list) instanceof ArrayNode entries) {
            lists.set(list, entries(point.getKey(), list, entries, at + "." + list));
          }
        }
      }
    }
  }

  private ArrayNode entries(String point, String list, ArrayNode entries, String at) {
    ArrayNode renamed = JSON.arrayNode();
    Set<String> names = new LinkedHashSet<>();
    for (int i = 0; i < entries.size(); i++) {
      JsonNode entry = entries.get(i);
      String name = entry.path("name").asText();
      Optional<String> today =
          list.equals("disabled")
              ? disabled(point, name, at + "[" + i + "]")
              : enabled(point, name, at + "[" + i + "]");
      boolean repeated = // as the limits of cloud volumes, which have become one plugin
          today.isPresent() && !today.get().equals(name) && names.contains(today.get());
      if (today.isEmpty() || repeated) {
        renamed.addNull(); // the places of the others stay as they are in the file
        continue;
      }
      names.add(today.get());
      renamed.add(
          entry instanceof ObjectNode object
              ? object.deepCopy().put("name", today.get())
              : JSON.objectNode().put("name", today.get()));
    }
    return renamed;
  }

  private Optional<String> enabled(String point, String name, String at) {
    if (STRATEGIES.containsKey(name)) {
      if (!point.equals("score") && !point.equals(MULTI_POINT)) {
        return Optional.of(FIT);
      }
      strategies.add(name);
      return strategies.size() == 1 ? Optional.of(FIT) : Optional.empty();
    }
    if (SELECTOR_SPREAD.contains(name)) {
      notes.accept(
          "%s: %s is a part of %s today, which is enabled by default".formatted(at, name, SPREAD));
      return Optional.empty();
    }
    return Optional.of(VOLUME_LIMITS.contains(name) ? "NodeVolumeLimits" : name);
  }

  private Optional<String> disabled(String point, String name, String at) {
    if (STRATEGIES.containsKey(name)) {
      if (!name.equals("NodeResourcesLeastAllocated")) {
        notes.accept("%s: %s is not a default plugin, so nothing changes".formatted(at, name));
        return Optional.empty();
      }
      if (!point.equals("score")) {
        return Optional.empty(); // as it scores only
      }
      leastAllocatedIsOff = true;
      return Optional.of(FIT);
    }
    if (SELECTOR_SPREAD.contains(name)) {
      selectorSpreadIsOff(at, name);
      return Optional.empty();
    }
    if (VOLUME_LIMITS.contains(name)) {
      lost.accept(
          "%s: the limits of all volumes are one plugin today, NodeVolumeLimits: disable that one, or keep this limit"
              .formatted(at));
      return Optional.empty();
    }
    return Optional.of(name);
  }

  private void selectorSpreadIsOff(String at, String name) {
    if (!version.spreadsBySelector()) {
      notes.accept(
          "%s: %s is a part of %s since kube-scheduler 1.20, and pods without constraints are spread by its defaults; the argument defaultingType: List of %s disables them"
              .formatted(at, name, SPREAD, SPREAD));
      return;
    }
    ObjectNode args = argumentsOf(SPREAD);
    if (!args.has("defaultingType") && args.path("defaultConstraints").isEmpty()) {
      args.put("defaultingType", "List");
      notes.accept(
          "%s: %s is a part of %s today; its argument defaultingType: List disables the default spreading"
              .formatted(at, name, SPREAD));
    }
  }

  private void arguments() {
    if (!(profile.path("pluginConfig") instanceof ArrayNode configs)) {
      return;
    }
    ArrayNode kept = JSON.arrayNode();
    for (JsonNode config : configs) {
      String name = config.path("name").asText();
      if (STRATEGIES.containsKey(name)) {
        argumentsOfStrategies.put(name, config.path("args"));
      } else {
        kept.add(config);
      }
      if (name.equals(SPREAD)
          && version.impliesListOfConstraints()
          && config.path("args") instanceof ObjectNode args
          && !args.path("defaultConstraints").isEmpty()
          && !args.has("defaultingType")) {
        args.put("defaultingType", "List");
      }
    }
    profile.set("pluginConfig", kept);
  }

  /** Writes the strategy of NodeResourcesFit that the enabled former plugins mean. */
  private void strategy() {
    boolean leastByDefault =
        version.hasScorePerStrategy()
            && !leastAllocatedIsOff
            && !strategies.contains("NodeResourcesLeastAllocated")
            && !isAllDisabled();
    if (strategies.size() > (leastByDefault ? 0 : 1)) {
      lost.accept(
          "%splugins.score: %s%s score side by side there, and NodeResourcesFit has one strategy today: the policy uses %s; disable the others"
              .formatted(
                  place,
                  String.join(" and ", strategies),
                  leastByDefault ? " and the default NodeResourcesLeastAllocated" : "",
                  STRATEGIES.get(strategies.iterator().next())));
    }
    String used =
        strategies.stream().findFirst().orElse(leastByDefault ? "NodeResourcesLeastAllocated" : "");
    JsonNode arguments = argumentsOfStrategies.getOrDefault(used, JSON.objectNode());
    boolean isDefault = used.isEmpty() || (strategies.isEmpty() && arguments.isEmpty());
    if (isDefault) {
      return;
    }
    ObjectNode strategy = argumentsOf(FIT).putObject("scoringStrategy");
    strategy.put("type", STRATEGIES.get(used));
    if (arguments.has("resources")) {
      strategy.set("resources", arguments.get("resources"));
    }
    if (arguments.has("shape")) {
      strategy.putObject("requestedToCapacityRatio").set("shape", arguments.get("shape"));
    }
  }

  private boolean isAllDisabled() {
    for (JsonNode each : profile.path("plugins").path("score").path("disabled")) {
      if (each.path("name").asText().equals("*")) {
        return true;
      }
    }
    return false;
  }

  /** Returns the arguments of a plugin in {@code pluginConfig}, which are created if necessary. */
  private ObjectNode argumentsOf(String plugin) {
    ArrayNode configs = profile.withArray("pluginConfig");
    for (JsonNode config : configs) {
      if (config.path("name").asText().equals(plugin) && config instanceof ObjectNode object) {
        return object.withObject("args");
      }
    }
    return configs.addObject().put("name", plugin).putObject("args");
  }
}
