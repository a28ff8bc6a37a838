package io.berth.sandbox.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.store.Json;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Pod predicates for controllers, and creation of pods from a template. */
final class Pods {
  private Pods() {}

  static boolean isDeleted(JsonNode object) {
    return object.path("metadata").has("deletionTimestamp");
  }

  static boolean isOver(JsonNode pod) {
    String phase = pod.path("status").path("phase").asText();
    return phase.equals("Succeeded") || phase.equals("Failed");
  }

  static boolean isActive(JsonNode pod) {
    return !isOver(pod) && !isDeleted(pod);
  }

  static boolean isReady(JsonNode pod) {
    return readySince(pod) != null;
  }

  /** Returns whether a pod has been ready for at least {@code minReadySeconds}. */
  static boolean isAvailable(JsonNode pod, long minReadySeconds, Instant now) {
    String since = readySince(pod);
    return since != null
        && (minReadySeconds == 0
            || !Instant.parse(since).plusSeconds(minReadySeconds).isAfter(now));
  }

  static @Nullable String readySince(JsonNode pod) {
    for (JsonNode condition : pod.path("status").path("conditions")) {
      if (condition.path("type").asText().equals("Ready")) {
        return condition.path("status").asText().equals("True")
            ? condition.path("lastTransitionTime").asText()
            : null;
      }
    }
    return null;
  }

  /** Returns a new pod from a controller's template, with a generated name. */
  static ObjectNode fromTemplate(JsonNode owner, JsonNode template) {
    ObjectNode pod = Json.object();
    pod.put("apiVersion", "v1").put("kind", "Pod");
    ObjectNode metadata = pod.putObject("metadata");
    metadata.put("generateName", owner.path("metadata").path("name").asText() + "-");
    metadata.put("namespace", owner.path("metadata").path("namespace").asText());
    for (String part : new String[] {"labels", "annotations", "finalizers"}) {
      if (template.path("metadata").has(part)) {
        metadata.set(part, template.path("metadata").get(part).deepCopy());
      }
    }
    metadata.putArray("ownerReferences").add(controllerReference(owner));
    pod.set("spec", template.path("spec").deepCopy());
    return pod;
  }

  static ObjectNode controllerReference(JsonNode owner) {
    return Json.object()
        .put("apiVersion", owner.path("apiVersion").asText())
        .put("kind", owner.path("kind").asText())
        .put("name", owner.path("metadata").path("name").asText())
        .put("uid", owner.path("metadata").path("uid").asText())
        .put("controller", true)
        .put("blockOwnerDeletion", true);
  }
}
