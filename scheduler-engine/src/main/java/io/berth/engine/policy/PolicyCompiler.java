package io.berth.engine.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.policy.AlgorithmNames;
import io.berth.crds.policy.PredicatePolicy;
import io.berth.crds.policy.Preemption;
import io.berth.crds.policy.PreemptionMode;
import io.berth.crds.policy.PriorityPolicy;
import io.berth.crds.schema.DurationText;
import io.berth.crds.schema.NearestName;
import io.berth.engine.cards.CardRules;
import io.berth.engine.extender.Extenders;
import io.berth.engine.framework.Arguments;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.framework.EvictionLimits;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.PreemptionRules;
import io.berth.engine.framework.ScorePlugin;
import io.berth.engine.framework.Shadow;
import io.berth.engine.kube.PolicyAccess;
import io.berth.engine.plugins.GpuFragmentation;
import io.berth.rules.label.NamespaceAccess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Compiles SchedulingPolicies, or reports all of their problems. Stateless and thread-safe.
 *
 * <p>Entries replace entries of the default set by name. NodeName, NodeAffinity, NodePorts,
 * NodeResourcesFit and GpuCards are always among the filters, since the kubelet, or the agent of
 * the GPU cards, checks them again. Legacy names are accepted for the algorithms that replaced
 * them. The arguments of a disabled entry are also validated.
 */
public final class PolicyCompiler {
  private static final int MAX_WEIGHT = 1_000_000;
  private static final String IGNORED_RESOURCES = "ignoredResources";

  /** Algorithms that are reserved and not available yet. */
  private static final Set<String> NOT_YET = Set.of("DynamicResources");

  /** A resolved entry of a policy. */
  private record Entry(String path, boolean enabled, int weight, Map<String, JsonNode> args) {}

  private final PluginRegistry registry;

  /** Creates a compiler with Berth's own algorithms. */
  public PolicyCompiler() {
    this(PluginRegistry.standard());
  }

  /** Creates a compiler with these algorithms. */
  public PolicyCompiler(PluginRegistry registry) {
    this.registry = registry;
  }

  /**
   * Compiles a policy.
   *
   * @param revision identifies this content among the revisions of the same policy
   */
  public PolicyCompilation compile(String name, String revision, SchedulingPolicySpec spec) {
    List<PolicyProblem> problems = new ArrayList<>();
    Map<String, Entry> predicates = predicates(spec, problems);
    Map<String, Entry> priorities = priorities(spec, problems);
    List<FilterPlugin> filters = new ArrayList<>();
    for (String plugin : registry.filterNames()) {
      Entry entry = predicates.get(plugin);
      boolean mandatory = AlgorithmNames.MANDATORY_FILTERS.contains(plugin);
      if (entry != null && !entry.enabled && mandatory) {
        problems.add(
            new PolicyProblem(
                entry.path + ".enabled",
                plugin
                    + " cannot be removed, because the node checks it again and would reject the"
                    + " pods: remove the entry"));
      }
      boolean byDefault =
          mandatory || (spec.inheritDefaults() && AlgorithmNames.DEFAULT_FILTERS.contains(plugin));
      Arguments arguments = filterArguments(plugin, entry, spec, problems);
      FilterPlugin filter = registry.readFilter(plugin, arguments);
      arguments.finish();
      if (entry != null ? entry.enabled : byDefault) {
        filters.add(filter);
      }
    }
    CardRules cards = CardArguments.rules(spec.gpu(), problems);
    List<CompiledPolicy.WeightedScore> scores = new ArrayList<>();
    for (String plugin : registry.scoreNames()) {
      Entry entry = priorities.get(plugin);
      int weight =
          entry != null
              ? entry.weight
              : spec.inheritDefaults() ? AlgorithmNames.DEFAULT_WEIGHTS.getOrDefault(plugin, 0) : 0;
      if (entry == null && plugin.equals(AlgorithmNames.GPU_FRAGMENTATION)) {
        weight = CardArguments.weightOf(spec.gpu());
      }
      Arguments arguments = scoreArguments(plugin, entry, spec, problems);
      ScorePlugin score = withRules(registry.readScore(plugin, arguments), cards);
      arguments.finish();
      if (weight > 0 && (entry == null || entry.enabled)) {
        scores.add(new CompiledPolicy.WeightedScore(score, weight));
      }
    }
    checkRanges(spec, problems);
    Optional<NamespaceAccess> namespaces =
        PolicyAccess.read(
            spec.allowedNamespaces(),
            why -> problems.add(new PolicyProblem("spec.allowedNamespaces.selector", why)));
    PreemptionRules preemption = preemption(spec.effectivePreemption(), problems);
    Optional<Extenders> extenders = new ExtenderCompiler(problems).compile(spec.extenders());
    Optional<Shadow> shadow = shadow(name, spec, problems);
    if (!problems.isEmpty()) {
      return new PolicyCompilation.Invalid(problems);
    }
    return new PolicyCompilation.Compiled(
        new CompiledPolicy(
            name,
            revision,
            filters,
            scores,
            preemption,
            spec.percentageOfNodesToScore(),
            spec.alwaysCheckAllPredicates(),
            namespaces.orElseThrow(),
            extenders.map(asked -> asked),
            cards,
            shadow,
            Optional.of(spec)));
  }

  /**
   * Applies {@code spec.gpu} to the plugins that depend on it in addition to their own arguments.
   */
  private static ScorePlugin withRules(ScorePlugin score, CardRules cards) {
    return score instanceof GpuFragmentation ? new GpuFragmentation(cards) : score;
  }

  private static PreemptionRules preemption(Preemption given, List<PolicyProblem> problems) {
    Duration minRunTime = Duration.ZERO;
    if (given.minRunTime() != null) {
      Optional<Duration> read = DurationText.read(given.minRunTime());
      if (read.isEmpty()) {
        problems.add(
            new PolicyProblem(
                "spec.preemption.minRunTime",
                "\"" + given.minRunTime() + "\" is not a duration such as 90s, 5m or 1h30m"));
      }
      minRunTime = read.orElse(Duration.ZERO);
    }
    PreemptionRules rules =
        new PreemptionRules.Bounded(
            given.mode() == PreemptionMode.DRY_RUN,
            limit(given.maxVictimsPerPod(), "maxVictimsPerPod", problems),
            new EvictionLimits(
                limit(given.maxEvictionsPerMinute(), "maxEvictionsPerMinute", problems),
                limit(
                    given.maxEvictionsPerMinutePerNamespace(),
                    "maxEvictionsPerMinutePerNamespace",
                    problems)),
            minRunTime,
            !given.evictDaemonSetPods(),
            given.honorGroupDisruption());
    return given.enabled() ? rules : PreemptionRules.off();
  }

  private static int limit(@Nullable Integer given, String field, List<PolicyProblem> problems) {
    if (given == null) {
      return EvictionLimits.NO_LIMIT;
    }
    if (given < 1) {
      problems.add(
          new PolicyProblem(
              "spec.preemption." + field,
              "must be 1 or more, not " + given + "; to evict no pods, set enabled to false"));
    }
    return given;
  }

  private static Optional<Shadow> shadow(
      String name, SchedulingPolicySpec spec, List<PolicyProblem> problems) {
    io.berth.crds.policy.Shadow given = spec.shadow();
    if (given == null) {
      return Optional.empty();
    }
    if (given.policy() == null || given.policy().isEmpty()) {
      problems.add(
          new PolicyProblem(
              "spec.shadow.policy", "must name the SchedulingPolicy to compare with"));
    } else if (given.policy().equals(name)) {
      problems.add(
          new PolicyProblem(
              "spec.shadow.policy",
              "must be another policy: to compare with a change of this one, create a"
                  + " SchedulingPolicy of another name with the changed spec"));
    }
    if (given.percent() < 1 || given.percent() > 100) {
      problems.add(
          new PolicyProblem("spec.shadow.percent", "must be 1 to 100, not " + given.percent()));
    }
    return Optional.of(new Shadow(given.policy(), given.percent()));
  }

  private static void checkRanges(SchedulingPolicySpec spec, List<PolicyProblem> problems) {
    int percentage = spec.percentageOfNodesToScore();
    if (percentage < 0 || percentage > 100) {
      problems.add(
          new PolicyProblem(
              "spec.percentageOfNodesToScore", "must be 0 to 100, not " + percentage));
    }
    int hard = spec.hardPodAffinitySymmetricWeight();
    if (hard < 0 || hard > 100) {
      problems.add(
          new PolicyProblem(
              "spec.hardPodAffinitySymmetricWeight", "must be 0 to 100, not " + hard));
    }
  }

  private static Arguments arguments(@Nullable Entry entry, List<PolicyProblem> problems) {
    return entry == null
        ? read("", Map.of(), problems)
        : read(entry.path + ".args", entry.args, problems);
  }

  /** Returns the arguments of a filter, with the resources that extenders manage. */
  private static Arguments filterArguments(
      String plugin,
      @Nullable Entry entry,
      SchedulingPolicySpec spec,
      List<PolicyProblem> problems) {
    Set<String> ignored = ExtenderCompiler.ignoredResources(spec.extenders());
    Map<String, JsonNode> given = entry == null ? Map.of() : entry.args;
    JsonNode own = given.getOrDefault(IGNORED_RESOURCES, NullNode.instance);
    if (!plugin.equals("NodeResourcesFit")
        || ignored.isEmpty()
        || !(own.isNull() || own.isArray())) {
      return arguments(entry, problems);
    }
    ArrayNode all = JsonNodeFactory.instance.arrayNode();
    own.forEach(all::add);
    ignored.forEach(all::add);
    Map<String, JsonNode> args = new HashMap<>(given);
    args.put(IGNORED_RESOURCES, all);
    return read(entry == null ? "" : entry.path + ".args", args, problems);
  }

  private static Arguments read(
      String path, Map<String, JsonNode> fields, List<PolicyProblem> problems) {
    return new Arguments(
        path, fields, (field, message) -> problems.add(new PolicyProblem(field, message)));
  }

  private static Arguments scoreArguments(
      String plugin,
      @Nullable Entry entry,
      SchedulingPolicySpec spec,
      List<PolicyProblem> problems) {
    boolean weighted =
        plugin.equals("InterPodAffinity")
            && (entry == null || !entry.args.containsKey("hardPodAffinityWeight"));
    int hard = spec.hardPodAffinitySymmetricWeight();
    if (!weighted || hard < 0 || hard > 100) {
      return arguments(entry, problems);
    }
    Map<String, JsonNode> args = new HashMap<>(entry == null ? Map.of() : entry.args);
    args.put("hardPodAffinityWeight", JsonNodeFactory.instance.numberNode(hard));
    return read(entry == null ? "" : entry.path + ".args", args, problems);
  }

  private Map<String, Entry> predicates(SchedulingPolicySpec spec, List<PolicyProblem> problems) {
    Map<String, Entry> entries = new LinkedHashMap<>();
    for (int i = 0; i < spec.predicates().size(); i++) {
      PredicatePolicy given = spec.predicates().get(i);
      String path = "spec.predicates[" + i + "]";
      List<String> names =
          registry.filterNames().contains(given.name())
              ? List.of(given.name())
              : AlgorithmNames.filtersOf(given.name());
      if (names.isEmpty()) {
        problems.add(
            unknown(
                path, given.name(), registry.filterNames(), AlgorithmNames.legacyFilterNames()));
      }
      for (String name : names) {
        Entry entry = new Entry(path, given.enabled(), 1, given.args());
        // Several legacy names may refer to one filter, but the same name twice is a contradiction.
        Entry before = entries.put(name, entry);
        if (before != null && names.getFirst().equals(given.name())) {
          problems.add(twice(path, name, before));
        }
      }
    }
    return entries;
  }

  private Map<String, Entry> priorities(SchedulingPolicySpec spec, List<PolicyProblem> problems) {
    Map<String, Entry> entries = new LinkedHashMap<>();
    for (int i = 0; i < spec.priorities().size(); i++) {
      PriorityPolicy given = spec.priorities().get(i);
      String path = "spec.priorities[" + i + "]";
      if (given.name().equals(AlgorithmNames.EQUAL_PRIORITY)) {
        read(path + ".args", given.args(), problems).finish();
        continue;
      }
      Optional<String> score =
          registry.scoreNames().contains(given.name())
              ? Optional.of(given.name())
              : AlgorithmNames.scoreOf(given.name());
      if (score.isEmpty()) {
        problems.add(
            unknown(path, given.name(), registry.scoreNames(), AlgorithmNames.legacyScoreNames()));
        continue;
      }
      String name = score.get();
      int weight =
          name.equals(AlgorithmNames.GPU_FRAGMENTATION)
              ? AlgorithmNames.GPU_FRAGMENTATION_WEIGHT
              : AlgorithmNames.DEFAULT_WEIGHTS.getOrDefault(name, 1);
      if (given.weight() != null) {
        weight = given.weight();
        if (weight < 0 || weight > MAX_WEIGHT) {
          problems.add(
              new PolicyProblem(
                  path + ".weight", "must be 0 to " + MAX_WEIGHT + ", not " + weight));
        }
      }
      Entry before =
          entries.put(name, new Entry(path, given.enabled(), weight, args(given, path, problems)));
      if (before != null) {
        problems.add(twice(path, name, before));
      }
    }
    return entries;
  }

  /** Returns the arguments, with the strategy that a legacy name implies. */
  private static Map<String, JsonNode> args(
      PriorityPolicy given, String path, List<PolicyProblem> problems) {
    Optional<ObjectNode> named = AlgorithmNames.strategyOf(given.name());
    JsonNode own = given.args().getOrDefault("scoringStrategy", NullNode.instance);
    if (named.isEmpty() || !(own.isNull() || own.isObject())) {
      return given.args();
    }
    ObjectNode strategy = named.get();
    String type = strategy.path("type").asText();
    if (own.hasNonNull("type") && !own.path("type").asText().equals(type)) {
      problems.add(
          new PolicyProblem(
              path + ".args.scoringStrategy.type",
              given.name()
                  + " means "
                  + type
                  + ", so it cannot be "
                  + own.path("type")
                  + ": remove it, or use the name NodeResourcesFit"));
      return given.args();
    }
    own.properties().forEach(field -> strategy.set(field.getKey(), field.getValue()));
    strategy.put("type", type);
    Map<String, JsonNode> args = new LinkedHashMap<>(given.args());
    args.put("scoringStrategy", strategy);
    return args;
  }

  private static PolicyProblem twice(String path, String name, Entry before) {
    return new PolicyProblem(
        path + ".name", name + " is a duplicate; it is already in " + before.path);
  }

  private static PolicyProblem unknown(
      String path, String name, Set<String> names, Set<String> legacyNames) {
    if (NOT_YET.contains(name)) {
      return new PolicyProblem(
          path + ".name",
          name + " is not supported yet; accepted: " + String.join(", ", new TreeSet<>(names)));
    }
    Optional<String> replacement = AlgorithmNames.replacementOf(name);
    if (replacement.isPresent()) {
      return new PolicyProblem(
          path + ".name", name + " does not exist in Berth: " + replacement.get());
    }
    TreeSet<String> all = new TreeSet<>(names);
    all.addAll(legacyNames);
    return new PolicyProblem(
        path + ".name",
        "unknown algorithm \"" + name + "\"; accepted: " + NearestName.accepted(name, all));
  }
}
