package io.berth.operator.convert;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.SchedulerNames;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.policy.AlgorithmNames;
import io.berth.crds.policy.Extender;
import io.berth.crds.policy.PredicatePolicy;
import io.berth.crds.policy.Preemption;
import io.berth.crds.policy.PriorityPolicy;
import io.berth.crds.policy.SharedNodes;
import io.berth.webhook.error.ObjectNames;
import io.berth.webhook.legacy.ExtenderDefaults;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Converts one KubeSchedulerConfiguration of any version: each of its profiles becomes a policy
 * with the defaults of that version.
 */
final class ConfigurationReading {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Set<String> READ =
      Set.of("apiVersion", "kind", "metadata", "profiles", "extenders", "percentageOfNodesToScore");
  private static final String HARD_WEIGHT = "hardPodAffinitySymmetricWeight";
  private static final String NO_PREEMPTION = "disablePreemption";
  private static final String SOURCE = "algorithmSource";

  /** Fields of v1alpha1 that describe its only profile. */
  private static final Set<String> READ_OF_V1ALPHA1 =
      Set.of("schedulerName", "plugins", "pluginConfig", HARD_WEIGHT, NO_PREEMPTION, SOURCE);

  /** Process settings, for which Berth has its own options and defaults. */
  private static final Map<String, String> OF_THE_PROCESS =
      Map.of(
          "clientConnection", "Berth finds the cluster by --kubeconfig or its ServiceAccount",
          "leaderElection", "Berth elects a leader with --leader-elect",
          "healthzBindAddress", "Berth serves health at its own port",
          "metricsBindAddress", "Berth serves metrics at its own port",
          "enableProfiling", "the JVM is profiled from outside",
          "enableContentionProfiling", "the JVM is profiled from outside",
          "parallelism", "Berth schedules on a single thread",
          "delayCacheUntilActive", "every replica of Berth watches the cluster");

  /**
   * Times with kube-scheduler's defaults, which Berth uses too: the backoff of unschedulable pods,
   * and the wait for volumes.
   */
  private static final Map<String, Integer> BACKOFF_SECONDS =
      Map.of("podInitialBackoffSeconds", 1, "podMaxBackoffSeconds", 10, "bindTimeoutSeconds", 600);

  private final JsonNode configuration;
  private final List<String> lost = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private final Set<String> names = new LinkedHashSet<>();
  private final ConfigurationVersion version;

  ConfigurationReading(JsonNode configuration) throws UnconvertibleFileException {
    this.configuration = configuration;
    this.version = ConfigurationVersion.of(configuration.path("apiVersion").asText(""));
  }

  Conversion convert() throws UnconvertibleFileException {
    readProcessSettings();
    List<Extender> extenders = extenders();
    List<ConvertedObject> policies = new ArrayList<>();
    if (!version.hasProfiles()) {
      policies.add(policy(onlyProfile(), "", extenders));
      return new Conversion(policies, lost, notes);
    }
    JsonNode profiles = configuration.path("profiles");
    reserveNames(profiles);
    if (profiles.isEmpty()) {
      policies.add(policy(JsonNodeFactory.instance.objectNode(), "profiles[0]", extenders));
    }
    for (int i = 0; i < profiles.size(); i++) {
      policies.add(policy(profiles.get(i), "profiles[" + i + "]", extenders));
    }
    return new Conversion(policies, lost, notes);
  }

  private void readProcessSettings() {
    for (Map.Entry<String, JsonNode> field : configuration.properties()) {
      String name = field.getKey();
      if (READ.contains(name) || (!version.hasProfiles() && READ_OF_V1ALPHA1.contains(name))) {
        continue;
      }
      if (name.equals(NO_PREEMPTION) && version.disablesPreemption()) {
        continue;
      }
      if (OF_THE_PROCESS.containsKey(name)) {
        notes.add(name + ": " + OF_THE_PROCESS.get(name));
      } else if (BACKOFF_SECONDS.containsKey(name)) {
        if (field.getValue().asInt() != BACKOFF_SECONDS.get(name)) {
          lost.add(name + ": is always " + BACKOFF_SECONDS.get(name) + " in Berth");
        }
      } else {
        lost.add(name + ": has no equivalent in Berth");
      }
    }
  }

  private boolean isPreemptionOff() {
    return configuration.path(NO_PREEMPTION).asBoolean(false);
  }

  /** Returns the fields of a v1alpha1 file that are a profile in later versions. */
  private ObjectNode onlyProfile() {
    ObjectNode profile = JsonNodeFactory.instance.objectNode();
    for (String field : List.of("schedulerName", "plugins", "pluginConfig")) {
      if (configuration.has(field)) {
        profile.set(field, configuration.get(field).deepCopy());
      }
    }
    JsonNode source = configuration.path(SOURCE);
    if (!source.path("policy").isMissingNode()) {
      lost.add(
          SOURCE
              + ".policy: the algorithms are in another file: convert that one, and use its"
              + " policy");
    }
    if (source.path("provider").asText("").equals("ClusterAutoscalerProvider")) {
      ObjectNode score = profile.withObject("/plugins/score");
      score.withArray("disabled").addObject().put("name", "NodeResourcesLeastAllocated");
      score.withArray("enabled").addObject().put("name", "NodeResourcesMostAllocated");
    }
    return profile;
  }

  /** Names of profiles are taken before replacements for invalid ones are chosen. */
  private void reserveNames(JsonNode profiles) throws UnconvertibleFileException {
    for (int i = 0; i < profiles.size(); i++) {
      String name = schedulerName(profiles.get(i));
      if (!names.add(name)) {
        throw new UnconvertibleFileException(
            "profiles[%d].schedulerName: another profile is called %s too, which kube-scheduler rejects: give each profile its own name"
                .formatted(i, name));
      }
    }
  }

  private static String schedulerName(JsonNode profile) {
    return profile.path("schedulerName").asText(SchedulerNames.KUBERNETES_DEFAULT);
  }

  private ConvertedPolicy policy(JsonNode given, String place, List<Extender> extenders) {
    String within = place.isEmpty() ? "" : place + ".";
    JsonNode profile = FormerPlugins.renamed(version, given, within, lost::add, notes::add);
    ProfilePlugins plugins =
        new ProfilePlugins(
            profile.path("plugins"),
            within + "plugins",
            version.defaultWeights(),
            lost::add,
            notes::add);
    PluginArguments arguments =
        new PluginArguments(profile.path("pluginConfig"), within + "pluginConfig", lost::add);
    plugins.reportTheRest();
    JsonNode own = profile.path("percentageOfNodesToScore");
    JsonNode percentage = own.isNumber() ? own : configuration.path("percentageOfNodesToScore");
    boolean preempts = plugins.preempts() && !(version.disablesPreemption() && isPreemptionOff());
    SchedulingPolicySpec spec =
        new SchedulingPolicySpec(
            false,
            true,
            predicates(plugins.filters(), arguments, within),
            priorities(plugins.scores(), arguments),
            Math.clamp(configuration.path(HARD_WEIGHT).asInt(1), 0, 100),
            false,
            Math.clamp(percentage.asInt(0), 0, 100),
            extenders,
            preempts ? null : Preemption.enabled(false),
            null,
            null,
            null,
            SharedNodes.TRUST,
            null,
            null);
    return new ConvertedPolicy(name(profile, within), spec);
  }

  private String name(JsonNode profile, String within) {
    String name = schedulerName(profile);
    if (ObjectNames.isValid(name)) {
      return name;
    }
    String base = within.isEmpty() ? "profile" : "profile-" + within.replaceAll("\\D", "");
    String replacement = base;
    for (int i = 1; !names.add(replacement); i++) {
      replacement = base + "-" + i;
    }
    notes.add(
        "%sschedulerName: \"%s\" cannot be the name of an object; the policy is called %s"
            .formatted(within, name, replacement));
    return replacement;
  }

  private List<PredicatePolicy> predicates(
      Set<String> on, PluginArguments arguments, String within) {
    List<PredicatePolicy> predicates = new ArrayList<>();
    for (String filter : AlgorithmNames.DEFAULT_FILTERS) {
      boolean enabled = on.contains(filter);
      if (!enabled && AlgorithmNames.MANDATORY_FILTERS.contains(filter)) {
        lost.add(
            "%splugins: %s cannot be disabled in Berth: the kubelet checks it again and would"
                    .formatted(within, filter)
                + " reject the pods");
        enabled = true;
      }
      predicates.add(
          new PredicatePolicy(filter, enabled, enabled ? arguments.ofFilter(filter) : Map.of()));
    }
    return predicates;
  }

  private static List<PriorityPolicy> priorities(
      Map<String, Integer> on, PluginArguments arguments) {
    List<PriorityPolicy> priorities = new ArrayList<>();
    for (String score : AlgorithmNames.DEFAULT_WEIGHTS.keySet()) {
      Integer weight = on.get(score);
      priorities.add(
          weight == null
              ? new PriorityPolicy(score, null, false, Map.of())
              : new PriorityPolicy(score, weight, true, arguments.ofScore(score)));
    }
    return priorities;
  }

  private List<Extender> extenders() throws UnconvertibleFileException {
    JsonNode list = configuration.path("extenders");
    if (!list.isArray()) {
      return List.of();
    }
    JsonNode own = list.deepCopy();
    for (int i = 0; i < own.size(); i++) {
      if (own.get(i) instanceof ObjectNode extender && ExtenderDefaults.write(extender)) {
        notes.add(
            "extenders[%d]: it has enableHTTPS and names no authority, so kube-scheduler does not check its certificate; the policy says so by tlsConfig.insecure: name its authority by caFile or caData instead"
                .formatted(i));
      }
    }
    try {
      return List.of(JSON.treeToValue(own, Extender[].class));
    } catch (JsonProcessingException e) {
      throw new UnconvertibleFileException(
          "extenders: " + e.getOriginalMessage().lines().findFirst().orElse(""));
    }
  }
}
