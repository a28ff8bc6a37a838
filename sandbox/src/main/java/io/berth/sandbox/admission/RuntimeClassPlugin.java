package io.berth.sandbox.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.quantity.PodResources;
import io.berth.sandbox.resource.ResourceRegistry;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.ObjectStore;

/** Applies the overhead, node selector, and tolerations of a RuntimeClass to new pods. */
final class RuntimeClassPlugin {
  private final ObjectStore store;
  private final ResourceRegistry registry;

  RuntimeClassPlugin(ObjectStore store, ResourceRegistry registry) {
    this.store = store;
    this.registry = registry;
  }

  /**
   * Modifies a new pod in place. Rejects a pod whose RuntimeClass does not exist or whose node
   * selector conflicts with that of the RuntimeClass.
   */
  void admit(AdmissionRequest request, ObjectNode spec) {
    String name = spec.path("runtimeClassName").asText("");
    if (name.isEmpty()) {
      return;
    }
    JsonNode runtimeClass =
        store
            .get(
                registry.builtIn("node.k8s.io", "runtimeclasses").storage(),
                ObjectKey.clusterScoped(name))
            .orElseThrow(
                () -> forbidden(request, "pod rejected: RuntimeClass \"" + name + "\" not found"))
            .json();
    JsonNode overhead = runtimeClass.path("overhead").path("podFixed");
    if (!overhead.isEmpty() && spec.path("overhead").isEmpty()) {
      spec.set("overhead", overhead.deepCopy());
    }
    JsonNode scheduling = runtimeClass.path("scheduling");
    selectNodes(request, spec, scheduling.path("nodeSelector"));
    tolerate(spec, scheduling.path("tolerations"));
  }

  /**
   * Checks that a pod's overhead equals that of its RuntimeClass. Called after the mutating
   * webhooks.
   */
  void validate(AdmissionRequest request, JsonNode spec) {
    String name = spec.path("runtimeClassName").asText("");
    JsonNode overhead = spec.path("overhead");
    if (name.isEmpty() && overhead.isEmpty()) {
      return;
    }
    JsonNode defined =
        store
            .get(
                registry.builtIn("node.k8s.io", "runtimeclasses").storage(),
                ObjectKey.clusterScoped(name))
            .map(each -> each.json().path("overhead").path("podFixed"))
            .orElse(MissingNode.getInstance());
    if (defined.isEmpty() && !overhead.isEmpty()) {
      throw forbidden(
          request,
          "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
    }
    if (!PodResources.list(defined).equals(PodResources.list(overhead))) {
      throw forbidden(
          request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
    }
  }

  private static void selectNodes(AdmissionRequest request, ObjectNode spec, JsonNode selector) {
    for (var wanted : selector.properties()) {
      ObjectNode own = spec.withObjectProperty("nodeSelector");
      JsonNode present = own.path(wanted.getKey());
      if (!present.isMissingNode() && !present.equals(wanted.getValue())) {
        throw forbidden(
            request,
            "conflict: runtimeClass.scheduling.nodeSelector[%s] = %s; pod.spec.nodeSelector[%s] = %s"
                .formatted(
                    wanted.getKey(),
                    wanted.getValue().asText(),
                    wanted.getKey(),
                    present.asText()));
      }
      own.set(wanted.getKey(), wanted.getValue());
    }
  }

  private static void tolerate(ObjectNode spec, JsonNode tolerations) {
    for (JsonNode toleration : tolerations) {
      ArrayNode own = spec.withArrayProperty("tolerations");
      boolean present = false;
      for (JsonNode each : own) {
        present |= each.equals(toleration);
      }
      if (!present) {
        own.add(toleration.deepCopy());
      }
    }
  }

  private static RuntimeException forbidden(AdmissionRequest request, String why) {
    return Failures.forbidden(request.type().qualified(), request.name(), why);
  }
}
