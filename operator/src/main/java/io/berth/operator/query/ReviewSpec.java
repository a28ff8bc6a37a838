package io.berth.operator.query;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.operator.owner.SuppliedWorkload;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.ReplicationController;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The spec of a PlacementReview.
 *
 * @param template the metadata and spec of the pod; empty if the pod exists
 * @param workload the workload that creates the pod; empty if none is given
 * @param podName the name of a pod that exists; empty if there is a template
 * @param replicas how many copies of the pod are to be placed
 * @param max whether as many as fit are placed, up to {@code replicas}
 * @param policyName the policy by which the pods are placed instead of their own; empty for their
 *     own
 * @param policySpec the spec of such a policy; a missing node if there is none
 * @param addedNodes how many nodes like which one are added
 * @param removedPods the names of pods of the namespace that are gone
 */
record ReviewSpec(
    Optional<JsonNode> template,
    Optional<SuppliedWorkload> workload,
    String podName,
    int replicas,
    boolean max,
    String policyName,
    JsonNode policySpec,
    List<AddedNodes> addedNodes,
    Set<String> removedNodes,
    Set<String> drainedNodes,
    List<String> removedPods) {
  static final int MOST_REPLICAS = 5_000;
  private static final int MOST_NODES = 1_000;
  private static final int MOST_PODS = 1_000;
  private static final String MAX = "Max";

  /** The fields, by the path of the object that contains them. */
  static final Map<String, Set<String>> FIELDS =
      Map.of(
          "spec",
              Set.of(
                  "pod",
                  "template",
                  "workload",
                  "replicas",
                  "podName",
                  "policy",
                  "nodes",
                  "removePods"),
          "spec.policy", Set.of("name", "spec"),
          "spec.nodes", Set.of("add", "remove", "drain"));

  private static final Map<String, Class<?>> TYPES =
      Map.of(
          "spec.pod", Pod.class,
          "spec.template", PodTemplateSpec.class,
          "spec.policy.spec", SchedulingPolicySpec.class);

  private static final String WORKLOAD = "spec.workload";

  private static final Map<String, Class<?>> WORKLOADS =
      Stream.of(
              Deployment.class,
              ReplicaSet.class,
              StatefulSet.class,
              DaemonSet.class,
              Job.class,
              CronJob.class,
              ReplicationController.class)
          .collect(Collectors.toMap(Class::getSimpleName, type -> type));

  /** Returns the types of the objects in the spec of a review, by their path. */
  static Map<String, Class<?>> types(JsonNode review) {
    Map<String, Class<?>> types = new HashMap<>(TYPES);
    @Nullable Class<?> workload = WORKLOADS.get(review.at("/spec/workload/kind").asText());
    types.put(
        workload == null ? WORKLOAD + ".spec.template" : WORKLOAD,
        workload == null ? PodTemplateSpec.class : workload);
    return types;
  }

  /** Nodes that are added, each like the one with this name. */
  record AddedNodes(String like, int count) {}

  /** Returns whether the review supposes changes of nodes. */
  boolean changesNodes() {
    return !addedNodes.isEmpty() || !removedNodes.isEmpty() || !drainedNodes.isEmpty();
  }

  /** Returns whether more than one pod may have to be placed for the answer. */
  boolean placesSeveral() {
    return replicas > 1 || !drainedNodes.isEmpty();
  }

  /**
   * Reads the spec of a review.
   *
   * @throws ApiException with 422 if it is invalid
   */
  static ReviewSpec read(JsonNode spec) throws ApiException {
    String podName = spec.path("podName").asText("");
    List<String> sources =
        Stream.of("pod", "template", "workload", "podName").filter(spec::has).toList();
    if (sources.size() != 1 || (spec.has("podName") && podName.isEmpty())) {
      throw invalid("spec", "set one of pod, template, workload, and podName");
    }
    String source = sources.getFirst();
    Optional<SuppliedWorkload> workload =
        source.equals("workload") ? Optional.of(workload(spec.path(source))) : Optional.empty();
    Optional<JsonNode> template = workload.map(SuppliedWorkload::template);
    if (Set.of("pod", "template").contains(source)) {
      template = Optional.of(spec.path(source));
      if (!spec.path(source).path("spec").isObject()) {
        throw invalid("spec." + source + ".spec", "is required");
      }
    }
    boolean max = spec.path("replicas").asText().equals(MAX);
    List<AddedNodes> added = new ArrayList<>();
    int nodes = 0;
    for (JsonNode item : spec.at("/nodes/add")) {
      int count = item.path("count").asInt(1);
      String like = item.path("like").asText("");
      if (like.isEmpty() || count < 1) {
        throw invalid("spec.nodes.add", "each item needs like, the name of a node, and count > 0");
      }
      nodes += count;
      added.add(new AddedNodes(like, count));
    }
    if (nodes > MOST_NODES || nodes < 0) {
      throw invalid("spec.nodes.add", "at most " + MOST_NODES + " nodes may be added");
    }
    JsonNode policy = spec.path("policy");
    if (policy.has("name") && policy.has("spec")) {
      throw invalid("spec.policy", "set one of name and spec");
    }
    return new ReviewSpec(
        template,
        workload,
        podName,
        max ? MOST_REPLICAS : replicas(spec.path("replicas"), workload),
        max,
        policy.path("name").asText(""),
        policy.path("spec"),
        added,
        Set.copyOf(names(spec.at("/nodes/remove"), "spec.nodes.remove")),
        Set.copyOf(names(spec.at("/nodes/drain"), "spec.nodes.drain")),
        names(spec.path("removePods"), "spec.removePods"));
  }

  /** Reads a workload: an object with a pod template. */
  private static SuppliedWorkload workload(JsonNode object) throws ApiException {
    for (String field : List.of("apiVersion", "kind")) {
      if (object.path(field).asText("").isEmpty()) {
        throw invalid("spec.workload." + field, "is required");
      }
    }
    if (SuppliedWorkload.name(object.path("metadata")).isEmpty()) {
      throw invalid("spec.workload.metadata", "name or generateName is required");
    }
    return SuppliedWorkload.of(object)
        .orElseThrow(
            () ->
                invalid(
                    "spec.workload",
                    "a %s has no pod template: set spec.pod to one of its pods instead"
                        .formatted(object.path("kind").asText())));
  }

  private static int replicas(JsonNode field, Optional<SuppliedWorkload> workload)
      throws ApiException {
    if (field.isMissingNode() || field.isNull()) {
      int pods = workload.map(SuppliedWorkload::pods).orElse(1);
      if (pods > MOST_REPLICAS) {
        throw invalid(
            "spec.workload",
            "runs %d pods, and at most %d can be placed in a review: set spec.replicas to fewer, or to \"Max\""
                .formatted(pods, MOST_REPLICAS));
      }
      return pods;
    }
    int replicas = field.isIntegralNumber() && field.canConvertToInt() ? field.intValue() : 0;
    if (replicas < 1 || replicas > MOST_REPLICAS) {
      throw invalid(
          "spec.replicas", "must be a number from 1 to " + MOST_REPLICAS + ", or \"Max\"");
    }
    return replicas;
  }

  private static List<String> names(JsonNode list, String path) throws ApiException {
    List<String> names = new ArrayList<>();
    for (JsonNode name : list) {
      names.add(name.asText(""));
    }
    if (names.contains("") || names.size() > MOST_PODS) {
      throw invalid(path, "must be a list of at most " + MOST_PODS + " names");
    }
    return names.stream().distinct().toList();
  }

  static ApiException invalid(String path, String message) {
    return ApiException.invalid("PlacementReview", path, message);
  }
}
