package io.berth.sandbox.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.quantity.Amount;
import io.berth.sandbox.quantity.PodResources;
import io.berth.sandbox.quota.QosClass;
import io.berth.sandbox.resource.ResourceRegistry;
import io.berth.sandbox.store.ObjectStore;
import io.berth.sandbox.store.StoredObject;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Applies the defaults of a namespace's LimitRanges to new pods and enforces their bounds. */
final class LimitRanger {
  private static final String ANNOTATION = "kubernetes.io/limit-ranger";
  private static final List<String> CONTAINERS = List.of("containers", "initContainers");

  private final ObjectStore store;
  private final ResourceRegistry registry;

  LimitRanger(ObjectStore store, ResourceRegistry registry) {
    this.store = store;
    this.registry = registry;
  }

  private List<JsonNode> limits(String namespace) {
    List<JsonNode> limits = new ArrayList<>();
    for (StoredObject range :
        store.list(registry.builtIn("", "limitranges").storage(), namespace).objects()) {
      range.json().path("spec").path("limits").forEach(limits::add);
    }
    return limits;
  }

  /** Sets the default requests and limits of a new pod's containers, in place. */
  void applyDefaults(AdmissionRequest request, ObjectNode pod) {
    List<JsonNode> limits = limits(request.namespace());
    if (limits.isEmpty()) {
      return;
    }
    Map<String, JsonNode> defaultLimits = new TreeMap<>();
    Map<String, JsonNode> defaultRequests = new TreeMap<>();
    for (JsonNode limit : limits) {
      if (limit.path("type").asText().equals("Container")) {
        limit
            .path("default")
            .properties()
            .forEach(e -> defaultLimits.put(e.getKey(), e.getValue()));
        limit
            .path("defaultRequest")
            .properties()
            .forEach(e -> defaultRequests.put(e.getKey(), e.getValue()));
      }
    }
    List<String> notes = new ArrayList<>();
    for (String list : CONTAINERS) {
      String kind = list.equals("containers") ? "container " : "init container ";
      for (JsonNode each : pod.path("spec").path(list)) {
        ObjectNode resources = ((ObjectNode) each).withObjectProperty("resources");
        String of = kind + each.path("name").asText();
        fill(resources, "requests", defaultRequests, " request for " + of, notes);
        fill(resources, "limits", defaultLimits, " limit for " + of, notes);
      }
    }
    if (!notes.isEmpty()) {
      pod.withObjectProperty("metadata")
          .withObjectProperty("annotations")
          .put(ANNOTATION, "LimitRanger plugin set: " + String.join("; ", notes));
      pod.withObjectProperty("status").put("qosClass", QosClass.of(pod.path("spec")));
    }
  }

  private static void fill(
      ObjectNode resources,
      String kind,
      Map<String, JsonNode> defaults,
      String of,
      List<String> notes) {
    List<String> set = new ArrayList<>();
    defaults.forEach(
        (name, value) -> {
          if (!resources.path(kind).has(name)) {
            resources.withObjectProperty(kind).set(name, value);
            set.add(name);
          }
        });
    if (!set.isEmpty()) {
      notes.add(String.join(", ", set) + of);
    }
  }

  /**
   * Checks a new pod or PersistentVolumeClaim against the bounds.
   *
   * @throws io.berth.sandbox.failure.ApiException if a bound is violated
   */
  void validate(AdmissionRequest request, JsonNode object) {
    List<JsonNode> limits = limits(request.namespace());
    List<String> problems = new ArrayList<>();
    for (JsonNode limit : limits) {
      if (request.type().is("", "persistentvolumeclaims")) {
        checkClaim(limit, object, problems);
      } else {
        checkPod(limit, object.path("spec"), problems);
      }
    }
    if (!problems.isEmpty()) {
      throw Failures.forbidden(
          request.type().qualified(),
          request.name(),
          problems.size() == 1 ? problems.getFirst() : "[" + String.join(", ", problems) + "]");
    }
  }

  private static void checkClaim(JsonNode limit, JsonNode claim, List<String> problems) {
    if (limit.path("type").asText().equals("PersistentVolumeClaim")) {
      Map<String, Amount> requests =
          PodResources.list(claim.path("spec").path("resources").path("requests"));
      atLeast(limit, "min", requests, Map.of(), problems);
      atMost(limit, "max", requests, Map.of(), problems);
    }
  }

  private static void checkPod(JsonNode limit, JsonNode spec, List<String> problems) {
    switch (limit.path("type").asText()) {
      case "Pod" -> check(limit, PodResources.requests(spec), PodResources.limits(spec), problems);
      case "Container" -> {
        for (String list : CONTAINERS) {
          for (JsonNode container : spec.path(list)) {
            JsonNode resources = container.path("resources");
            check(
                limit,
                PodResources.list(resources.path("requests")),
                PodResources.list(resources.path("limits")),
                problems);
          }
        }
      }
      default -> {}
    }
  }

  private static void check(
      JsonNode limit,
      Map<String, Amount> requests,
      Map<String, Amount> limits,
      List<String> problems) {
    atLeast(limit, "min", requests, limits, problems);
    atMost(limit, "max", limits, requests, problems);
    PodResources.list(limit.path("maxLimitRequestRatio"))
        .forEach(
            (name, ratio) ->
                ratio(limit, name, ratio, requests.get(name), limits.get(name), problems));
  }

  /**
   * Checks a lower bound. Every bounded resource must have a request; requests and limits must not
   * be below the bound.
   */
  private static void atLeast(
      JsonNode limit,
      String bound,
      Map<String, Amount> requests,
      Map<String, Amount> limits,
      List<String> problems) {
    PodResources.list(limit.path(bound))
        .forEach(
            (name, least) -> {
              String words = words("minimum", name, limit, least);
              if (!requests.containsKey(name)) {
                problems.add(words + ".  No request is specified");
              } else if (requests.get(name).compareTo(least) < 0) {
                problems.add(words + ", but request is " + requests.get(name));
              } else if (limits.containsKey(name) && limits.get(name).compareTo(least) < 0) {
                problems.add(words + ", but limit is " + limits.get(name));
              }
            });
  }

  /**
   * Checks an upper bound. Every bounded resource must have a limit; limits and requests must not
   * exceed the bound.
   */
  private static void atMost(
      JsonNode limit,
      String bound,
      Map<String, Amount> limits,
      Map<String, Amount> requests,
      List<String> problems) {
    PodResources.list(limit.path(bound))
        .forEach(
            (name, most) -> {
              String words = words("maximum", name, limit, most);
              boolean claim = limit.path("type").asText().equals("PersistentVolumeClaim");
              String kind = claim ? "request" : "limit";
              if (!limits.containsKey(name)) {
                problems.add(words + ".  No " + kind + " is specified");
              } else if (limits.get(name).compareTo(most) > 0) {
                problems.add(words + ", but " + kind + " is " + limits.get(name));
              } else if (requests.containsKey(name) && requests.get(name).compareTo(most) > 0) {
                problems.add(words + ", but request is " + requests.get(name));
              }
            });
  }

  private static void ratio(
      JsonNode limit,
      String name,
      Amount most,
      @Nullable Amount request,
      @Nullable Amount bound,
      List<String> problems) {
    String words =
        name
            + " max limit to request ratio per "
            + limit.path("type").asText()
            + " is "
            + most
            + ", but ";
    if (request == null || request.isZero()) {
      problems.add(words + "no request is specified or request is 0");
    } else if (bound == null || bound.isZero()) {
      problems.add(words + "no limit is specified or limit is 0");
    } else {
      var given = bound.value().divide(request.value(), 6, RoundingMode.HALF_EVEN);
      if (given.compareTo(most.value()) > 0) {
        problems.add(words + "provided ratio is " + given.toPlainString());
      }
    }
  }

  private static String words(String bound, String name, JsonNode limit, Amount amount) {
    return bound + " " + name + " usage per " + limit.path("type").asText() + " is " + amount;
  }
}
