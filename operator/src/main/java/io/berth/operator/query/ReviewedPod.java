package io.berth.operator.query;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.SchedulerNames;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PriorityClassModel;
import io.berth.rules.DefaultTolerations;
import io.berth.webhook.admission.PodMutator;
import io.berth.webhook.admission.PodVerdict;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.binding.PodSubject;
import io.berth.webhook.error.Problem;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.zjsonpatch.JsonPatch;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The pod of a review, as the API server would store it: rendered by the webhook's code, with the
 * defaults that placement depends on.
 */
final class ReviewedPod {
  /** The classes that each API server creates. */
  private static final Map<String, PriorityClassModel> SYSTEM_CLASSES =
      Stream.of(
              PriorityClassModel.of("system-cluster-critical", 2_000_000_000),
              PriorityClassModel.of("system-node-critical", 2_000_001_000))
          .collect(Collectors.toMap(PriorityClassModel::name, each -> each));

  private final PodMutator mutator;
  private final KubeEvents events;
  private final KubernetesSerialization serialization = new KubernetesSerialization();

  /** The result. */
  sealed interface Result {
    /**
     * The pod would be created.
     *
     * @param warnings what the webhook would warn its creator of
     */
    record Created(PodModel pod, List<String> warnings) implements Result {}

    /** The pod would be denied by the webhook. */
    record Denied(String message) implements Result {}
  }

  ReviewedPod(PodMutator mutator, KubeEvents events) {
    this.mutator = mutator;
    this.events = events;
  }

  /**
   * Returns the pod of a template.
   *
   * @param template its metadata and spec
   * @param priorityClasses returns a PriorityClass by name; the default one for an empty name
   * @throws ApiException with 422 if it is invalid
   */
  Result render(
      String namespace,
      JsonNode template,
      ConfigCatalog catalog,
      Function<String, Optional<PriorityClassModel>> priorityClasses,
      Instant now)
      throws ApiException {
    ObjectNode pod = unrendered(namespace, template, now);
    List<String> warnings = new ArrayList<>();
    switch (mutator.mutate(subject(namespace, pod), pod, catalog)) {
      case PodVerdict.Denied denied -> {
        return new Result.Denied(denied.message());
      }
      case PodVerdict.Admitted(var patch, List<Problem> problems, var _, var _) -> {
        pod = created(pod, patch);
        problems.forEach(problem -> warnings.add(problem.text()));
      }
    }
    complete(pod, priorityClasses);
    ClusterEvent event = events.upserted(read(pod));
    return switch (event) {
      case ClusterEvent.PodUpserted upserted -> new Result.Created(upserted.pod(), warnings);
      case ClusterEvent.Malformed malformed ->
          throw new ApiException(422, "the pod is invalid: " + malformed.refusal().reason());
      default -> throw new IllegalStateException("no event about a pod: " + event);
    };
  }

  /** Returns the properties that bindings use. A DaemonSet's pod is one that it creates. */
  static PodSubject subject(String namespace, JsonNode pod) {
    return PodSubject.of(namespace, pod).createdBy(true);
  }

  private Pod read(ObjectNode pod) throws ApiException {
    try {
      return serialization.convertValue(pod, Pod.class);
    } catch (IllegalArgumentException e) {
      throw new ApiException(422, "the pod is invalid: " + e.getMessage());
    }
  }

  private static ObjectNode unrendered(String namespace, JsonNode template, Instant now) {
    ObjectNode pod = JsonNodeFactory.instance.objectNode();
    JsonNode given = template.path("metadata");
    ObjectNode metadata = given.isObject() ? given.deepCopy() : pod.objectNode();
    if (metadata.path("name").asText("").isEmpty()) {
      metadata.put("name", metadata.path("generateName").asText("pod-") + "review");
    }
    metadata.put("namespace", namespace).put("uid", "review");
    metadata.put("creationTimestamp", now.truncatedTo(ChronoUnit.SECONDS).toString());
    pod.set("metadata", metadata);
    ObjectNode spec = template.path("spec").deepCopy();
    spec.remove("nodeName");
    pod.set("spec", spec);
    return pod;
  }

  /**
   * Returns a pod as the API server stores it after the webhook's answer, with the defaults on
   * which placement depends: those that depend on nothing but the pod.
   *
   * @param pod the pod as a client creates it; it is not changed
   * @param patch the patch of the webhook
   */
  static ObjectNode created(ObjectNode pod, ArrayNode patch) {
    ObjectNode created = (ObjectNode) JsonPatch.apply(patch, pod);
    created.put("apiVersion", "v1").put("kind", "Pod");
    created.putObject("status").put("phase", "Pending");
    ObjectNode spec = created.withObject("/spec");
    if (spec.path("schedulerName").asText("").isEmpty()) {
      spec.put("schedulerName", SchedulerNames.KUBERNETES_DEFAULT);
    }
    if (spec.path("restartPolicy").asText("").isEmpty()) {
      spec.put("restartPolicy", "Always");
    }
    DefaultTolerations.add(spec);
    return created;
  }

  /** Sets the defaults that depend on containers and PriorityClasses. */
  private static void complete(
      ObjectNode pod, Function<String, Optional<PriorityClassModel>> priorityClasses)
      throws ApiException {
    ObjectNode spec = pod.withObject("/spec");
    for (String list : List.of("containers", "initContainers")) {
      for (JsonNode container : spec.path(list)) {
        defaultRequests(container.path("resources"));
      }
    }
    defaultRequests(spec.path("resources"));
    prioritize(spec, priorityClasses);
  }

  /** Requests what is limited and not requested. */
  private static void defaultRequests(JsonNode resources) {
    if (resources instanceof ObjectNode object && object.path("limits").isObject()) {
      ObjectNode requests =
          object.path("requests") instanceof ObjectNode given
              ? given
              : object.putObject("requests");
      object
          .path("limits")
          .properties()
          .forEach(
              limit -> {
                if (!requests.has(limit.getKey())) {
                  requests.set(limit.getKey(), limit.getValue());
                }
              });
    }
  }

  /** Sets the priority and the preemption policy, as the API server's admission does. */
  private static void prioritize(
      ObjectNode spec, Function<String, Optional<PriorityClassModel>> priorityClasses)
      throws ApiException {
    String name = spec.path("priorityClassName").asText("");
    Optional<PriorityClassModel> found =
        Optional.ofNullable(SYSTEM_CLASSES.get(name)).or(() -> priorityClasses.apply(name));
    if (found.isEmpty() && !name.isEmpty()) {
      throw new ApiException(422, "no PriorityClass with name " + name + " was found");
    }
    int priority = found.map(PriorityClassModel::value).orElse(0);
    boolean never = found.filter(PriorityClassModel::neverPreempts).isPresent();
    String policy = never ? "Never" : "PreemptLowerPriority";
    require(spec, "priority", String.valueOf(priority), found);
    require(spec, "preemptionPolicy", policy, found);
    found.ifPresent(named -> spec.put("priorityClassName", named.name()));
    spec.put("priority", priority).put("preemptionPolicy", policy);
  }

  /** Rejects a value that a pod gives itself and that is not that of its PriorityClass. */
  private static void require(
      ObjectNode spec, String field, String value, Optional<PriorityClassModel> ofClass)
      throws ApiException {
    String given = spec.path(field).asText("");
    if (!given.isEmpty() && !given.equals(value)) {
      throw new ApiException(
          422,
          "spec.%s of the pod is %s, but it is %s by %s: name a PriorityClass instead"
              .formatted(
                  field,
                  given,
                  value,
                  ofClass
                      .map(each -> "PriorityClass " + each.name())
                      .orElse("default, because the pod names no PriorityClass")));
    }
  }
}
