package io.berth.webhook.binding;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * All that bindings look at of a pod.
 *
 * @param namespace the pod's namespace
 * @param baseName its generateName, or its name where it has none
 * @param labels its labels
 * @param annotations its annotations
 * @param controller its controlling owner
 * @param schedulerName its scheduler; empty where none is set
 * @param isOfDaemonSet whether it is made for one node, so that no binding may move it
 */
public record PodSubject(
    String namespace,
    String baseName,
    Map<String, String> labels,
    Map<String, String> annotations,
    Optional<Controller> controller,
    String schedulerName,
    boolean isOfDaemonSet) {

  private static final String DAEMON_SET = "DaemonSet";
  private static final String APPS = "apps/v1";

  /**
   * Reads a pod as JSON.
   *
   * @param namespace the namespace of the request: a pod under admission need not carry its own
   */
  public static PodSubject of(String namespace, JsonNode pod) {
    JsonNode metadata = pod.path("metadata");
    String generateName = metadata.path("generateName").asText("");
    Optional<Controller> controller = Optional.empty();
    boolean ofDaemonSet = false;
    for (JsonNode reference : metadata.path("ownerReferences")) {
      if (reference.path("controller").asBoolean()) {
        Controller named =
            new Controller(
                reference.path("apiVersion").asText(),
                reference.path("kind").asText(),
                reference.path("name").asText(),
                reference.path("uid").asText());
        controller = Optional.of(named);
        ofDaemonSet = isDaemonSet(named);
      }
    }
    return new PodSubject(
        namespace,
        generateName.isEmpty() ? metadata.path("name").asText("") : generateName,
        strings(metadata.path("labels")),
        strings(metadata.path("annotations")),
        controller,
        pod.path("spec").path("schedulerName").asText(""),
        ofDaemonSet);
  }

  /** Reads a pod of the API server. */
  public static PodSubject of(Pod pod) {
    ObjectMeta metadata = pod.getMetadata();
    Optional<Controller> controller = Optional.empty();
    boolean ofDaemonSet = false;
    if (metadata.getOwnerReferences() != null) {
      for (OwnerReference reference : metadata.getOwnerReferences()) {
        if (Boolean.TRUE.equals(reference.getController())) {
          controller = Optional.of(controller(reference));
          ofDaemonSet = isDaemonSet(controller.get());
        }
      }
    }
    String generateName = orEmpty(metadata.getGenerateName());
    return new PodSubject(
        orEmpty(metadata.getNamespace()),
        generateName.isEmpty() ? orEmpty(metadata.getName()) : generateName,
        metadata.getLabels() == null ? Map.of() : metadata.getLabels(),
        metadata.getAnnotations() == null ? Map.of() : metadata.getAnnotations(),
        controller,
        pod.getSpec() == null ? "" : orEmpty(pod.getSpec().getSchedulerName()),
        ofDaemonSet);
  }

  /** The controller that an owner reference names. */
  public static Controller controller(OwnerReference reference) {
    return new Controller(
        orEmpty(reference.getApiVersion()),
        orEmpty(reference.getKind()),
        orEmpty(reference.getName()),
        orEmpty(reference.getUid()));
  }

  /** Returns whether a controller is a DaemonSet of Kubernetes' own. */
  public static boolean isDaemonSet(Controller controller) {
    return APPS.equals(controller.apiVersion()) && DAEMON_SET.equals(controller.kind());
  }

  /** The pod as one whose owner reference nobody vouches for: anybody may write one. */
  public PodSubject withoutDaemonSet() {
    return new PodSubject(
        namespace, baseName, labels, annotations, controller, schedulerName, false);
  }

  /** The annotation's value, trimmed; empty where it is absent or blank, which means the same. */
  public Optional<String> annotation(String key) {
    String value = annotations.get(key);
    return value == null || value.isBlank() ? Optional.empty() : Optional.of(value.strip());
  }

  private static Map<String, String> strings(JsonNode object) {
    Map<String, String> strings = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> field : object.properties()) {
      strings.put(field.getKey(), field.getValue().asText());
    }
    return strings;
  }

  private static String orEmpty(@Nullable String value) {
    return value == null ? "" : value;
  }
}
