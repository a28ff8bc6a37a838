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
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Converts one KubeSchedulerConfiguration: each of its profiles becomes a policy. */
final class ConfigurationReading {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String API_GROUP = "kubescheduler.config.k8s.io/";
  private static final Set<String> READ =
      Set.of("apiVersion", "kind", "metadata", "profiles", "extenders", "percentageOfNodesToScore");

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
   * Backoff settings of unschedulable pods, with kube-scheduler's defaults, which Berth uses too.
   */
  private static final Map<String, Integer> BACKOFF_SECONDS =
      Map.of("podInitialBackoffSeconds", 1, "podMaxBackoffSeconds", 10);

  private final JsonNode configuration;
  private final List<String> lost = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  ConfigurationReading(JsonNode configuration) {
    this.configuration = configuration;
  }

  Conversion convert() throws UnconvertibleFileException {
    String version = configuration.path("apiVersion").asText("");
    if (!version.startsWith(API_GROUP)) {
      throw new UnconvertibleFileException(
          "its apiVersion is \""
              + version
              + "\", which is none of kube-scheduler's: expected "
              + API_GROUP
              + "v1");
    }
    readProcessSettings();
    List<Extender> extenders = extenders();
    List<ConvertedPolicy> policies = new ArrayList<>();
    JsonNode profiles = configuration.path("profiles");
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
      if (READ.contains(name)) {
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

  private ConvertedPolicy policy(JsonNode profile, String place, List<Extender> extenders) {
    ProfilePlugins plugins =
        new ProfilePlugins(profile.path("plugins"), place + ".plugins", lost::add);
    PluginArguments arguments =
        new PluginArguments(profile.path("pluginConfig"), place + ".pluginConfig", lost::add);
    plugins.reportTheRest();
    JsonNode own = profile.path("percentageOfNodesToScore");
    JsonNode percentage = own.isNumber() ? own : configuration.path("percentageOfNodesToScore");
    SchedulingPolicySpec spec =
        new SchedulingPolicySpec(
            false,
            true,
            predicates(plugins.filters(), arguments, place),
            priorities(plugins.scores(), arguments),
            1,
            false,
            Math.clamp(percentage.asInt(0), 0, 100),
            extenders,
            plugins.preempts() ? null : Preemption.enabled(false),
            null,
            null,
            null,
            SharedNodes.TRUST);
    return new ConvertedPolicy(name(profile, place), spec);
  }

  private String name(JsonNode profile, String place) {
    String name = profile.path("schedulerName").asText(SchedulerNames.KUBERNETES_DEFAULT);
    if (ObjectNames.isValid(name)) {
      return name;
    }
    String replacement = "profile-" + place.replaceAll("\\D", "");
    notes.add(
        "%s.schedulerName: \"%s\" cannot be the name of an object; the policy is called %s"
            .formatted(place, name, replacement));
    return replacement;
  }

  private List<PredicatePolicy> predicates(
      Set<String> on, PluginArguments arguments, String place) {
    List<PredicatePolicy> predicates = new ArrayList<>();
    for (String filter : AlgorithmNames.DEFAULT_FILTERS) {
      boolean enabled = on.contains(filter);
      if (!enabled && AlgorithmNames.MANDATORY_FILTERS.contains(filter)) {
        lost.add(
            "%s.plugins: %s cannot be disabled in Berth: the kubelet checks it again and would"
                    .formatted(place, filter)
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
