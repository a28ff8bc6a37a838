package io.berth.webhook.binding;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The properties of a pod that bindings use.
 *
 * @param namespace the pod's namespace
 * @param baseName its generateName, or its name where it has none
 * @param labels its labels
 * @param annotations its annotations
 * @param controller its controlling owner
 * @param schedulerName its scheduler; empty where none is set
 * @param isOfDaemonSet whether it is made for one node, so that no binding may move it; of a stored
 *     pod, whether a DaemonSet controls it and it is pinned to a node
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
   * Reads a stored pod as JSON.
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
        ofDaemonSet = isDaemonSet(named) && isPinned(pod);
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

  /**
   * The pod as it is created: it is one of a DaemonSet if and only if the DaemonSet controller
   * creates it, whatever its owner reference says.
   */
  public PodSubject createdBy(boolean daemonSetController) {
    return new PodSubject(
        namespace,
        baseName,
        labels,
        annotations,
        controller,
        schedulerName,
        daemonSetController && controller.filter(PodSubject::isDaemonSet).isPresent());
  }

  /**
   * Returns whether every required node selector term names one node by its name, as the DaemonSet
   * controller writes them.
   */
  private static boolean isPinned(JsonNode pod) {
    JsonNode terms =
        pod.path("spec")
            .path("affinity")
            .path("nodeAffinity")
            .path("requiredDuringSchedulingIgnoredDuringExecution")
            .path("nodeSelectorTerms");
    for (JsonNode term : terms) {
      JsonNode fields = term.path("matchFields");
      JsonNode field = fields.path(0);
      if (fields.size() != 1
          || !field.path("key").asText().equals("metadata.name")
          || !field.path("operator").asText().equals("In")
          || field.path("values").size() != 1
          || !field.path("values").equals(terms.at("/0/matchFields/0/values"))) {
        return false;
      }
    }
    return !terms.isEmpty();
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
