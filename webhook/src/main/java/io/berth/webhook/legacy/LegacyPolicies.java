package io.berth.webhook.legacy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.policy.Extender;
import io.berth.crds.policy.PredicatePolicy;
import io.berth.crds.policy.PriorityPolicy;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.NearestName;
import io.berth.webhook.error.Problem;
import io.berth.webhook.error.Shown;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Translates {@code kind: Policy} JSON, which kube-scheduler read before 1.23, into the spec of a
 * SchedulingPolicy.
 *
 * <p>As there, a list of predicates or priorities that is present is all there is, but for the
 * predicates that were always on; one that is absent means the default set. The result is a
 * function of the text alone.
 */
public final class LegacyPolicies {
  private static final ObjectMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();
  private static final Set<String> FIELDS =
      Set.of(
          "kind",
          "apiVersion",
          "predicates",
          "priorities",
          "extenders",
          "hardPodAffinitySymmetricWeight",
          "alwaysCheckAllPredicates");
  private static final Set<String> EXTENDER_FIELDS =
      Set.of(
          "urlPrefix",
          "filterVerb",
          "prioritizeVerb",
          "preemptVerb",
          "bindVerb",
          "weight",
          "enableHTTPS",
          "tlsConfig",
          "httpTimeout",
          "nodeCacheCapable",
          "managedResources",
          "ignorable");

  private final List<Problem> problems = new ArrayList<>();

  private LegacyPolicies() {}

  /**
   * Translates one policy.
   *
   * @param json what the ConfigMap holds
   */
  public static LegacyTranslation translate(String json) {
    JsonNode policy;
    try {
      policy = JSON.readTree(json);
    } catch (JsonProcessingException e) {
      return refused(
          "is not JSON: line "
              + e.getLocation().getLineNr()
              + ", column "
              + e.getLocation().getColumnNr());
    }
    if (!policy.isObject() || !policy.path("kind").asText("Policy").equals("Policy")) {
      return refused("must be a JSON object of kind Policy, apiVersion v1");
    }
    return new LegacyPolicies().translate(policy);
  }

  private static LegacyTranslation refused(String message) {
    return new LegacyTranslation.Untranslatable(
        List.of(new Problem(ErrorCode.LEGACY_POLICY_FORMAT, "policy", message)));
  }

  private LegacyTranslation translate(JsonNode policy) {
    policy
        .fieldNames()
        .forEachRemaining(
            field -> {
              if (!FIELDS.contains(field)) {
                malformed(
                    field, "is not a field of kind Policy" + NearestName.question(field, FIELDS));
              }
            });
    List<PredicatePolicy> predicates = predicates(policy.path("predicates"));
    List<PriorityPolicy> priorities = priorities(policy.path("priorities"));
    List<Extender> extenders = extenders(policy.path("extenders"));
    int hardWeight = hardWeight(policy.path("hardPodAffinitySymmetricWeight"));
    JsonNode checkAll = policy.path("alwaysCheckAllPredicates");
    if (!checkAll.isMissingNode() && !checkAll.isNull() && !checkAll.isBoolean()) {
      malformed("alwaysCheckAllPredicates", "must be true or false");
    }
    return problems.isEmpty()
        ? new LegacyTranslation.Translated(
            new SchedulingPolicySpec(
                false,
                true,
                predicates,
                priorities,
                hardWeight,
                checkAll.asBoolean(),
                100,
                extenders,
                null,
                null,
                null))
        : new LegacyTranslation.Untranslatable(List.copyOf(problems));
  }

  private List<PredicatePolicy> predicates(JsonNode list) {
    if (list.isMissingNode() || list.isNull()) {
      return List.of();
    }
    Set<String> wanted = new LinkedHashSet<>(LegacyNames.MANDATORY_FILTERS);
    int index = 0;
    for (JsonNode predicate : list) {
      String place = "predicates[" + index++ + "]";
      String name = predicate.path("name").asText("");
      if (argument(predicate, place, List.of("serviceAffinity", "labelsPresence")).isEmpty()) {
        List<String> filters = LegacyNames.filters(name);
        if (filters.isEmpty()) {
          unknown(place, name, LegacyNames.knownFilters());
        }
        wanted.addAll(filters);
      }
    }
    return LegacyNames.DEFAULT_FILTERS.stream()
        .map(filter -> new PredicatePolicy(filter, wanted.contains(filter), Map.of()))
        .toList();
  }

  private List<PriorityPolicy> priorities(JsonNode list) {
    if (list.isMissingNode() || list.isNull()) {
      return List.of();
    }
    Map<String, PriorityPolicy> wanted = new LinkedHashMap<>();
    int index = 0;
    for (JsonNode priority : list) {
      String place = "priorities[" + index++ + "]";
      String name = priority.path("name").asText("");
      if (!priority.path("weight").isInt() || priority.path("weight").intValue() < 1) {
        malformed(place + ".weight", "must be a whole number of at least 1");
        continue;
      }
      int weight = priority.path("weight").intValue();
      String argument =
          argument(
              priority,
              place,
              List.of(
                  "serviceAntiAffinity", "labelPreference", "requestedToCapacityRatioArguments"));
      if (name.equals("EqualPriority") && argument.isEmpty()) {
        // The same for every node: no node is better for it.
        continue;
      }
      boolean ratio = argument.equals("requestedToCapacityRatioArguments");
      if (!argument.isEmpty() && !ratio) {
        continue;
      }
      String score = ratio ? "NodeResourcesFit" : LegacyNames.score(name);
      if (score.isEmpty()) {
        unknown(place, name, LegacyNames.knownScores());
        continue;
      }
      PriorityPolicy translated =
          new PriorityPolicy(score, weight, true, args(name, priority.path("argument"), ratio));
      if (wanted.putIfAbsent(score, translated) != null) {
        unsupported(
            place,
            "and an earlier priority are both "
                + score
                + " today, which scores by one strategy: keep one of the two");
      }
    }
    List<PriorityPolicy> all = new ArrayList<>(wanted.values());
    for (String score : LegacyNames.DEFAULT_SCORES) {
      if (!wanted.containsKey(score)) {
        all.add(new PriorityPolicy(score, 0, true, Map.of()));
      }
    }
    return all;
  }

  private static Map<String, JsonNode> args(String name, JsonNode argument, boolean ratio) {
    ObjectNode strategy = JsonNodeFactory.instance.objectNode();
    if (ratio) {
      JsonNode given = argument.path("requestedToCapacityRatioArguments");
      strategy.put("type", "RequestedToCapacityRatio");
      if (given.has("resources")) {
        strategy.set("resources", given.get("resources"));
      }
      strategy.putObject("requestedToCapacityRatio").set("shape", given.path("shape"));
    } else {
      switch (name) {
        case "LeastRequestedPriority" -> strategy.put("type", "LeastAllocated");
        case "MostRequestedPriority" -> strategy.put("type", "MostAllocated");
        case "RequestedToCapacityRatioPriority" -> {
          // Its shape when none was given: the emptier the better.
          strategy.put("type", "RequestedToCapacityRatio");
          var shape = strategy.putObject("requestedToCapacityRatio").putArray("shape");
          shape.addObject().put("utilization", 0).put("score", 10);
          shape.addObject().put("utilization", 100).put("score", 0);
        }
        default -> {
          return Map.of();
        }
      }
    }
    return Map.of("scoringStrategy", strategy);
  }

  /**
   * The kind of an entry's argument, empty where it has none; refuses those that have no equal
   * today.
   */
  private String argument(JsonNode entry, String place, List<String> known) {
    JsonNode argument = entry.path("argument");
    if (argument.isMissingNode() || argument.isNull() || argument.isEmpty()) {
      return "";
    }
    String kind = argument.fieldNames().next();
    if (argument.size() != 1 || !known.contains(kind)) {
      malformed(place + ".argument", "must hold one of " + String.join(", ", known));
    } else if (kind.equals("requestedToCapacityRatioArguments")) {
      if (!argument.path(kind).path("shape").isArray()
          || argument.path(kind).path("shape").isEmpty()) {
        malformed(
            place + ".argument." + kind + ".shape",
            "must list points such as {\"utilization\": 0, \"score\": 10}");
      }
    } else {
      String instead =
          switch (kind) {
            case "serviceAffinity" -> LegacyNames.instead("ServiceAffinity");
            case "labelsPresence" -> LegacyNames.instead("CheckNodeLabelPresence");
            case "serviceAntiAffinity" -> LegacyNames.instead("ServiceAntiAffinity");
            default -> LegacyNames.instead("NodeLabel");
          };
      unsupported(place + ".argument." + kind, "has no equal in Berth: " + instead);
    }
    return kind;
  }

  private List<Extender> extenders(JsonNode list) {
    List<Extender> extenders = new ArrayList<>();
    int index = 0;
    for (JsonNode each : list) {
      String place = "extenders[" + index++ + "]";
      if (!(each instanceof ObjectNode given)) {
        malformed(place, "must be an object");
        continue;
      }
      ObjectNode extender = given.deepCopy();
      if (extender.has("enableHttps")) {
        extender.set("enableHTTPS", extender.remove("enableHttps"));
      }
      extender
          .fieldNames()
          .forEachRemaining(
              field -> {
                if (!EXTENDER_FIELDS.contains(field)) {
                  malformed(
                      place + "." + field,
                      "is not a field of an extender"
                          + NearestName.question(field, EXTENDER_FIELDS));
                }
              });
      if (extender.path("urlPrefix").asText("").isEmpty()) {
        malformed(place + ".urlPrefix", "must say where the extender is");
      }
      try {
        extenders.add(JSON.treeToValue(extender, Extender.class));
      } catch (JsonProcessingException e) {
        malformed(
            place, "cannot be read: " + e.getOriginalMessage().lines().findFirst().orElse(""));
      }
    }
    return extenders;
  }

  private int hardWeight(JsonNode weight) {
    if (weight.isMissingNode() || weight.isNull()) {
      return 1;
    }
    if (!weight.isInt() || weight.intValue() < 0 || weight.intValue() > 100) {
      malformed("hardPodAffinitySymmetricWeight", "must be a whole number from 0 to 100");
      return 1;
    }
    return weight.intValue();
  }

  private void unknown(String place, String name, Set<String> known) {
    String instead = LegacyNames.instead(name);
    if (!instead.isEmpty()) {
      unsupported(place + ".name", name + " has no equal in Berth: " + instead);
    } else {
      unsupported(
          place + ".name",
          Shown.name(name)
              + " is not an algorithm that Berth knows"
              + NearestName.question(name, known)
              + " (known are "
              + String.join(", ", known)
              + ")");
    }
  }

  private void malformed(String path, String message) {
    problems.add(new Problem(ErrorCode.LEGACY_POLICY_FORMAT, path, message));
  }

  private void unsupported(String path, String message) {
    problems.add(new Problem(ErrorCode.LEGACY_POLICY_UNSUPPORTED, path, message));
  }
}
