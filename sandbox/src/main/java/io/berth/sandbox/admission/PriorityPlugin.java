package io.berth.sandbox.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.resource.ResourceRegistry;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.ObjectStore;
import io.berth.sandbox.store.StoredObject;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Resolves the PriorityClass of a pod or PodGroup to its priority and, for pods, preemption policy:
 * the admission plugin Priority.
 */
public final class PriorityPlugin {
  private static final Map<String, Integer> SYSTEM =
      Map.of("system-cluster-critical", 2_000_000_000, "system-node-critical", 2_000_001_000);

  private final ObjectStore store;
  private final ResourceRegistry registry;

  PriorityPlugin(ObjectStore store, ResourceRegistry registry) {
    this.store = store;
    this.registry = registry;
  }

  /** The PriorityClasses that exist in every cluster. */
  public static List<ObjectNode> systemClasses() {
    return List.of(
        systemClass(
            "system-cluster-critical",
            "Used for system critical pods that must run in the cluster, but can be moved to"
                + " another node if necessary."),
        systemClass(
            "system-node-critical",
            "Used for system critical pods that must not be moved from their current node."));
  }

  private static ObjectNode systemClass(String name, String description) {
    ObjectNode object = Json.object();
    object.put("apiVersion", "scheduling.k8s.io/v1").put("kind", "PriorityClass");
    object.putObject("metadata").put("name", name);
    return object
        .put("value", SYSTEM.getOrDefault(name, 0))
        .put("preemptionPolicy", "PreemptLowerPriority")
        .put("description", description);
  }

  void admitPod(AdmissionRequest request, ObjectNode pod) {
    ObjectNode spec = pod.withObject("spec");
    if (request.operation() == Operation.UPDATE) {
      JsonNode old = request.oldObject().map(o -> o.path("spec")).orElse(Json.object());
      for (String kept : new String[] {"priority", "preemptionPolicy"}) {
        if (!spec.has(kept) && old.has(kept)) {
          spec.set(kept, old.get(kept));
        }
      }
      return;
    }
    Optional<JsonNode> found = classOf(request, spec);
    int priority = resolved(request, spec, found, "pod");
    String policy =
        found
            .map(each -> each.path("preemptionPolicy").asText(""))
            .filter(each -> !each.isEmpty())
            .orElse("PreemptLowerPriority");
    String given = spec.path("preemptionPolicy").asText("");
    if (!given.isEmpty() && !given.equals(policy)) {
      throw forbidden(
          request,
          "the string value of PreemptionPolicy ("
              + given
              + ") must not be provided in pod spec; priority admission controller computed "
              + policy
              + " from the given PriorityClass name");
    }
    spec.put("priority", priority).put("preemptionPolicy", policy);
  }

  /** Sets the priority of a new PodGroup. */
  void admitGroup(AdmissionRequest request, ObjectNode spec) {
    spec.put("priority", resolved(request, spec, classOf(request, spec), "pod group"));
  }

  private Optional<JsonNode> classOf(AdmissionRequest request, ObjectNode spec) {
    String name = spec.path("priorityClassName").asText("");
    Optional<JsonNode> found = name.isEmpty() ? globalDefault() : Optional.of(named(request, name));
    found.ifPresent(
        each -> spec.put("priorityClassName", each.path("metadata").path("name").asText()));
    return found;
  }

  private static int resolved(
      AdmissionRequest request, ObjectNode spec, Optional<JsonNode> found, String object) {
    int priority = found.map(each -> each.path("value").asInt()).orElse(0);
    if (spec.hasNonNull("priority") && spec.path("priority").asInt() != priority) {
      throw forbidden(
          request,
          "the integer value of priority ("
              + spec.path("priority").asInt()
              + ") must not be provided in "
              + object
              + " spec; priority admission controller computed "
              + priority
              + " from the given PriorityClass name");
    }
    return priority;
  }

  void admitClass(AdmissionRequest request, ObjectNode created) {
    if (!created.path("globalDefault").asBoolean()) {
      return;
    }
    Optional<String> other =
        globalDefault().map(each -> each.path("metadata").path("name").asText());
    boolean taken =
        other.isPresent()
            && (request.operation() == Operation.CREATE
                || !other.get().equals(created.path("metadata").path("name").asText()));
    if (taken) {
      throw forbidden(
          request,
          "PriorityClass "
              + other.get()
              + " is already marked as default. Only one default can exist");
    }
  }

  private JsonNode named(AdmissionRequest request, String name) {
    Optional<StoredObject> stored = store.get(classes().storage(), ObjectKey.clusterScoped(name));
    if (stored.isPresent()) {
      return stored.get().json();
    }
    if (SYSTEM.containsKey(name)) {
      return systemClass(name, "");
    }
    throw forbidden(request, "no PriorityClass with name " + name + " was found");
  }

  /** The PriorityClass with the lowest value among those marked as global default. */
  private Optional<JsonNode> globalDefault() {
    JsonNode found = null;
    for (StoredObject stored : store.list(classes().storage(), null).objects()) {
      JsonNode each = stored.json();
      if (each.path("globalDefault").asBoolean()
          && (found == null || each.path("value").asInt() < found.path("value").asInt())) {
        found = each;
      }
    }
    return Optional.ofNullable(found);
  }

  private ResourceType classes() {
    return registry.builtIn("scheduling.k8s.io", "priorityclasses");
  }

  private static RuntimeException forbidden(AdmissionRequest request, String why) {
    return Failures.forbidden(request.type().qualified(), request.name(), why);
  }
}
