package io.berth.webhook.legacy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.policy.AlgorithmNames;
import io.berth.crds.policy.Extender;
import io.berth.crds.policy.PredicatePolicy;
import io.berth.crds.policy.PriorityPolicy;
import io.berth.crds.policy.SharedNodes;
import io.berth.crds.schema.NearestName;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.JsonPlace;
import io.berth.webhook.error.Problem;
import io.berth.webhook.error.Quoted;
import io.berth.webhook.legacy.LegacyFields.FieldType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Translates {@code kind: Policy} JSON, which kube-scheduler supported before 1.23, to the spec of
 * a SchedulingPolicy.
 *
 * <p>As in kube-scheduler, a list of predicates or priorities replaces the default set, except for
 * the mandatory predicates; if the list is absent, the default set is used. The result depends only
 * on the text.
 */
public final class LegacyPolicies {

  /**
   * Filters that a list cannot disable, in addition to {@link AlgorithmNames#MANDATORY_FILTERS}:
   * those that the old scheduler added to every policy, one that repeats an admission check of the
   * kubelet, and one that keeps devices from being given twice.
   */
  private static final List<String> ALWAYS_ADDED =
      List.of("NodeUnschedulable", "TaintToleration", "SingleDeviceSource", "NodeDeclaredFeatures");

  private static final ObjectMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();
  private static final Map<String, FieldType> FIELDS =
      Map.of(
          "kind", FieldType.TEXT,
          "apiVersion", FieldType.TEXT,
          "predicates", FieldType.LIST,
          "priorities", FieldType.LIST,
          "extenders", FieldType.LIST,
          "hardPodAffinitySymmetricWeight", FieldType.WHOLE,
          "alwaysCheckAllPredicates", FieldType.TRUTH);
  private static final Map<String, FieldType> PREDICATE_FIELDS =
      Map.of("name", FieldType.TEXT, "argument", FieldType.OBJECT);
  private static final Map<String, FieldType> PRIORITY_FIELDS =
      Map.of("name", FieldType.TEXT, "weight", FieldType.WHOLE, "argument", FieldType.OBJECT);
  private static final String RATIO = "requestedToCapacityRatioArguments";
  private static final String STRATEGY = "scoringStrategy";

  /** Scores with a part of their work under several names before 1.23. */
  private static final String SPREAD = "PodTopologySpread";

  private static final Set<String> AVOID_PODS =
      Set.of("NodePreferAvoidPods", "NodePreferAvoidPodsPriority");

  private final List<Problem> problems = new ArrayList<>();
  private final List<LegacyTranslation.Remark> remarks = new ArrayList<>();
  private final List<Integer> priorityPlaces = new ArrayList<>();

  private LegacyPolicies() {}

  /**
   * Translates one policy.
   *
   * @param json the policy in the ConfigMap
   */
  public static LegacyTranslation translate(String json) {
    JsonNode policy;
    try {
      policy = JSON.readTree(json);
    } catch (JsonProcessingException e) {
      return refused("is not valid JSON" + JsonPlace.of(e));
    }
    if (!policy.isObject() || !policy.path("kind").asText("Policy").equals("Policy")) {
      return refused("must be a JSON object of kind Policy, apiVersion v1");
    }
    return new LegacyPolicies().translate(policy);
  }

  private static LegacyTranslation refused(String message) {
    return new LegacyTranslation.Untranslatable(
        List.of(new Problem(ErrorCode.LEGACY_POLICY_FORMAT, "policy", message)), Optional.empty());
  }

  private LegacyTranslation translate(JsonNode policy) {
    LegacyFields.check(policy, "kind Policy", "", FIELDS, this::malformed);
    JsonNode hardWeight = policy.path("hardPodAffinitySymmetricWeight");
    if (hardWeight.isInt() && hardWeight.intValue() > 100) {
      malformed("hardPodAffinitySymmetricWeight", "must be an integer from 0 to 100");
    }
    List<PredicatePolicy> predicates = predicates(policy.path("predicates"));
    List<PriorityPolicy> priorities = priorities(policy.path("priorities"));
    List<Extender> extenders = new LegacyExtenders(this::malformed).read(policy.path("extenders"));
    LegacyTranslation.Translated translated =
        new LegacyTranslation.Translated(
            new SchedulingPolicySpec(
                false,
                true,
                predicates,
                priorities,
                Math.clamp(hardWeight.asInt(1), 0, 100),
                policy.path("alwaysCheckAllPredicates").asBoolean(),
                100,
                extenders,
                null,
                null,
                null,
                null,
                SharedNodes.TRUST,
                null,
                null),
            new LegacyPlaces(priorityPlaces),
            remarks);
    return problems.isEmpty()
        ? translated
        : new LegacyTranslation.Untranslatable(problems, Optional.of(translated));
  }

  private List<PredicatePolicy> predicates(JsonNode list) {
    if (!list.isArray()) {
      return List.of();
    }
    Set<String> wanted = new LinkedHashSet<>(ALWAYS_ADDED);
    wanted.addAll(AlgorithmNames.MANDATORY_FILTERS);
    for (int i = 0; i < list.size(); i++) {
      JsonNode predicate = list.get(i);
      String place = "predicates[" + i + "]";
      LegacyFields.check(predicate, "a predicate", place, PREDICATE_FIELDS, this::malformed);
      String name = name(predicate, place);
      if (argument(predicate, place, List.of("serviceAffinity", "labelsPresence")).isEmpty()
          && !name.isEmpty()) {
        List<String> filters =
            AlgorithmNames.DEFAULT_FILTERS.contains(name)
                ? List.of(name)
                : AlgorithmNames.filtersOf(name);
        if (filters.isEmpty()) {
          unknown(place, name, AlgorithmNames.DEFAULT_FILTERS, AlgorithmNames.legacyFilterNames());
        }
        wanted.addAll(filters);
      }
    }
    return AlgorithmNames.DEFAULT_FILTERS.stream()
        .map(filter -> new PredicatePolicy(filter, wanted.contains(filter), Map.of()))
        .toList();
  }

  private List<PriorityPolicy> priorities(JsonNode list) {
    if (!list.isArray()) {
      return AlgorithmNames.WEIGHTS_BEFORE_1_23.entrySet().stream()
          .map(score -> new PriorityPolicy(score.getKey(), score.getValue(), true, Map.of()))
          .toList();
    }
    Map<String, PriorityPolicy> wanted = new LinkedHashMap<>();
    for (int i = 0; i < list.size(); i++) {
      String place = "priorities[" + i + "]";
      Optional<PriorityPolicy> priority = priority(list.get(i), place);
      if (priority.isEmpty()) {
        continue;
      }
      PriorityPolicy earlier = wanted.putIfAbsent(priority.get().name(), priority.get());
      if (earlier == null) {
        priorityPlaces.add(i);
      } else if (earlier.name().equals(SPREAD)
          && namesBefore(list, i, SPREAD).add(list.get(i).path("name").asText())) {
        wanted.put(SPREAD, heavier(earlier, priority.get(), place));
      } else {
        unsupported(
            place,
            "and an earlier priority both correspond to "
                + priority.get().name()
                + " today, which has a single strategy: remove one of the two");
      }
    }
    List<PriorityPolicy> all = new ArrayList<>(wanted.values());
    for (String score : AlgorithmNames.DEFAULT_WEIGHTS.keySet()) {
      if (!wanted.containsKey(score)) {
        all.add(new PriorityPolicy(score, 0, true, Map.of()));
      }
    }
    return all;
  }

  /** Returns the names of earlier priorities that the score replaces. */
  private static Set<String> namesBefore(JsonNode list, int end, String score) {
    Set<String> names = new LinkedHashSet<>();
    for (int i = 0; i < end; i++) {
      String name = list.get(i).path("name").asText();
      if (AlgorithmNames.scoreOf(name).orElse(name).equals(score)) {
        names.add(name);
      }
    }
    return names;
  }

  private PriorityPolicy heavier(PriorityPolicy earlier, PriorityPolicy later, String place) {
    PriorityPolicy heavier = later.weight() > earlier.weight() ? later : earlier;
    remarks.add(
        new LegacyTranslation.Remark(
            place,
            "and an earlier priority both correspond to %s today, which spreads pods by their constraints, and pods without constraints by default ones; its weight is the larger one, %d"
                .formatted(SPREAD, heavier.weight()),
            false));
    return heavier;
  }

  /** Returns the current equivalent of the priority; empty if it has none or was rejected. */
  private Optional<PriorityPolicy> priority(JsonNode priority, String place) {
    LegacyFields.check(priority, "a priority", place, PRIORITY_FIELDS, this::malformed);
    JsonNode weight = priority.path("weight");
    if (priority.isObject() && (weight.isMissingNode() || weight.isNull() || isZero(weight))) {
      malformed(place + ".weight", "must be an integer of at least 1");
    }
    String name = name(priority, place);
    String argument =
        argument(priority, place, List.of("serviceAntiAffinity", "labelPreference", RATIO));
    boolean ratio = argument.equals(RATIO);
    if ((!argument.isEmpty() && !ratio) || name.isEmpty() || isLeftOut(name, place, ratio)) {
      return Optional.empty();
    }
    Optional<String> score =
        ratio
            ? Optional.of("NodeResourcesFit")
            : AlgorithmNames.DEFAULT_WEIGHTS.containsKey(name)
                ? Optional.of(name)
                : AlgorithmNames.scoreOf(name);
    if (score.isEmpty()) {
      unknown(
          place, name, AlgorithmNames.DEFAULT_WEIGHTS.keySet(), AlgorithmNames.legacyScoreNames());
      return Optional.empty();
    }
    Map<String, JsonNode> args =
        ratio
            ? Map.of(STRATEGY, strategy(priority.path("argument").path(RATIO)))
            : AlgorithmNames.strategyOf(name)
                .map(strategy -> Map.<String, JsonNode>of(STRATEGY, strategy))
                .orElse(Map.of());
    return Optional.of(new PriorityPolicy(score.get(), weight.asInt(1), true, args));
  }

  /**
   * Remarks on priorities that policies of kube-scheduler have by default, without an effect here.
   */
  private boolean isLeftOut(String name, String place, boolean ratio) {
    if (ratio) {
      return false;
    }
    if (name.equals(AlgorithmNames.EQUAL_PRIORITY)) {
      remarks.add(
          new LegacyTranslation.Remark(
              place, name + " gives every node the same score, and is left out", false));
      return true;
    }
    if (AVOID_PODS.contains(name)) {
      remarks.add(
          new LegacyTranslation.Remark(
              place,
              name
                  + " has no equivalent in Berth and is left out, as later versions of"
                  + " kube-scheduler do: where nodes have the annotation"
                  + " scheduler.alpha.kubernetes.io/preferAvoidPods, "
                  + AlgorithmNames.replacementOf(name).orElseThrow(),
              true));
      return true;
    }
    return false;
  }

  private static boolean isZero(JsonNode weight) {
    return weight.isInt() && weight.intValue() == 0;
  }

  private static ObjectNode strategy(JsonNode ratio) {
    ObjectNode strategy = JsonNodeFactory.instance.objectNode();
    strategy.put("type", "RequestedToCapacityRatio");
    if (ratio.has("resources")) {
      strategy.set("resources", ratio.get("resources"));
    }
    strategy.putObject("requestedToCapacityRatio").set("shape", ratio.path("shape"));
    return strategy;
  }

  private String name(JsonNode entry, String place) {
    String name = entry.path("name").asText("");
    if (entry.isObject() && name.isEmpty()) {
      malformed(place + ".name", "must name an algorithm");
    }
    return name;
  }

  /**
   * Returns the kind of an entry's argument; empty if it has none. Kinds without an equivalent are
   * reported as unsupported.
   */
  private String argument(JsonNode entry, String place, List<String> known) {
    JsonNode argument = entry.path("argument");
    if (!argument.isObject() || argument.isEmpty()) {
      return "";
    }
    String kind = argument.fieldNames().next();
    if (argument.size() != 1 || !known.contains(kind)) {
      malformed(place + ".argument", "must contain exactly one of " + String.join(", ", known));
    } else if (kind.equals(RATIO)) {
      if (!argument.path(kind).path("shape").isArray()
          || argument.path(kind).path("shape").isEmpty()) {
        malformed(
            place + ".argument." + kind + ".shape",
            "must list points such as {\"utilization\": 0, \"score\": 10}");
      }
    } else {
      String algorithm =
          switch (kind) {
            case "serviceAffinity" -> "ServiceAffinity";
            case "labelsPresence" -> "CheckNodeLabelPresence";
            case "serviceAntiAffinity" -> "ServiceAntiAffinity";
            default -> "NodeLabel";
          };
      unsupported(
          place + ".argument." + kind,
          "has no equivalent in Berth: " + AlgorithmNames.replacementOf(algorithm).orElseThrow());
    }
    return kind;
  }

  private void unknown(
      String place, String name, Collection<String> names, Collection<String> legacyNames) {
    Optional<String> replacement = AlgorithmNames.replacementOf(name);
    if (replacement.isPresent()) {
      unsupported(place + ".name", name + " has no equivalent in Berth: " + replacement.get());
      return;
    }
    TreeSet<String> known = new TreeSet<>(names);
    known.addAll(legacyNames);
    unsupported(
        place + ".name",
        Quoted.name(name)
            + " is not an algorithm of Berth"
            + NearestName.question(name, known)
            + " (accepted: "
            + String.join(", ", known)
            + ")");
  }

  private void malformed(String path, String message) {
    problems.add(new Problem(ErrorCode.LEGACY_POLICY_FORMAT, path, message));
  }

  private void unsupported(String path, String message) {
    problems.add(new Problem(ErrorCode.LEGACY_POLICY_UNSUPPORTED, path, message));
  }
}
