package io.berth.operator.bind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.devices.ClaimAllocation;
import io.berth.engine.kube.ClaimStatuses;
import io.berth.engine.model.PodRef;
import java.util.ArrayList;
import java.util.List;

/**
 * The claims that are created for the extended resources of pods. The name follows from the pod, so
 * that a creation whose response was lost can be repeated.
 */
final class ExtendedClaims {
  private static final String ANNOTATION = "resource.kubernetes.io/extended-resource-claim";
  private static final String SUFFIX = "-extended-resources-";
  private static final int LONGEST_NAME = 253;
  private static final ObjectMapper JSON = new ObjectMapper();

  private ExtendedClaims() {}

  static String nameFor(PodRef pod) {
    String end = SUFFIX + "%08x".formatted(pod.uid().hashCode());
    int most = LONGEST_NAME - end.length();
    String start = pod.name().length() > most ? pod.name().substring(0, most) : pod.name();
    return start + end;
  }

  static ObjectNode claim(String name, PodRef pod, ClaimAllocation step) {
    ObjectNode claim = JsonNodeFactory.instance.objectNode();
    claim.put("apiVersion", "resource.k8s.io/v1").put("kind", "ResourceClaim");
    ObjectNode metadata = claim.putObject("metadata").put("name", name);
    metadata.putObject("annotations").put(ANNOTATION, "true");
    metadata
        .putArray("ownerReferences")
        .addObject()
        .put("apiVersion", "v1")
        .put("kind", "Pod")
        .put("name", pod.name())
        .put("uid", pod.uid())
        .put("controller", true);
    claim.putObject("spec").putObject("devices").set("requests", requests(step));
    return claim;
  }

  private static JsonNode requests(ClaimAllocation step) {
    return JSON.valueToTree(ClaimStatuses.requests(step.extended().orElseThrow()));
  }

  /** Returns whether the claim was made for this pod's extended resources. */
  static boolean isOf(JsonNode claim, PodRef pod) {
    JsonNode metadata = claim.path("metadata");
    if (!metadata.path("annotations").path(ANNOTATION).asText().equals("true")) {
      return false;
    }
    for (JsonNode owner : metadata.path("ownerReferences")) {
      if (owner.path("uid").asText().equals(pod.uid())) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether the claim has no devices yet, and asks for the same as planned. */
  static boolean asksFor(JsonNode claim, ClaimAllocation step) {
    return !claim.path("metadata").has("deletionTimestamp")
        && !claim.path("status").path("allocation").isObject()
        && claim.path("spec").path("devices").path("requests").equals(requests(step));
  }

  /** Returns the patch of the pod's status that names the claim. */
  static ObjectNode podStatus(String name, PodRef ref, JsonNode pod, ClaimAllocation step) {
    List<String> containers = new ArrayList<>();
    pod.path("spec")
        .path("initContainers")
        .forEach(container -> containers.add(container.path("name").asText()));
    pod.path("spec")
        .path("containers")
        .forEach(container -> containers.add(container.path("name").asText()));
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch.putObject("metadata").put("uid", ref.uid());
    ObjectNode status =
        patch
            .putObject("status")
            .putObject("extendedResourceClaimStatus")
            .put("resourceClaimName", name);
    ArrayNode mappings = status.putArray("requestMappings");
    for (ClaimAllocation.Mapping mapping : step.extended().orElseThrow().mappings()) {
      mappings
          .addObject()
          .put("containerName", containers.get(mapping.container()))
          .put("resourceName", mapping.resource())
          .put("requestName", mapping.request());
    }
    return patch;
  }
}
