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
 * @param baseName its generateName, or its name if it has none
 * @param labels its labels
 * @param annotations its annotations
 * @param controller its controlling owner
 * @param schedulerName its scheduler; empty if none is set
 * @param isOfDaemonSet whether it belongs to a DaemonSet and is therefore meant for one node, so
 *     bindings do not apply to it; for a stored pod, whether a DaemonSet controls it and it is
 *     pinned to a node
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
   * @param namespace the namespace of the request, because a pod under admission may not contain
   *     its own
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

  /** Returns the controller that an owner reference names. */
  public static Controller controller(OwnerReference reference) {
    return new Controller(
        orEmpty(reference.getApiVersion()),
        orEmpty(reference.getKind()),
        orEmpty(reference.getName()),
        orEmpty(reference.getUid()));
  }

  /** Returns whether a controller is a DaemonSet of the group {@code apps/v1}. */
  public static boolean isDaemonSet(Controller controller) {
    return APPS.equals(controller.apiVersion()) && DAEMON_SET.equals(controller.kind());
  }

  /**
   * Returns the pod as created by a client: it belongs to a DaemonSet only if the DaemonSet
   * controller creates it, because any client may write an owner reference.
   *
   * @param daemonSetController whether the DaemonSet controller creates the pod
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
   * Returns whether all required node selector terms select the same single node by name, as the
   * DaemonSet controller writes them.
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

  /** Returns the annotation's value, trimmed; empty if it is absent or blank. */
  public Optional<String> annotation(String key) {
    String value = annotations.get(key);
    return value == null || value.isBlank() ? Optional.empty() : Optional.of(value.strip());
  }

  /** Returns the same pod without a label. */
  public PodSubject withoutLabel(String key) {
    Map<String, String> others = new LinkedHashMap<>(labels);
    others.remove(key);
    return new PodSubject(
        namespace, baseName, others, annotations, controller, schedulerName, isOfDaemonSet);
  }

  /** Returns the label's value; empty if it is absent or empty. */
  public Optional<String> label(String key) {
    return Optional.ofNullable(labels.get(key)).filter(value -> !value.isEmpty());
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
