package io.berth.sandbox.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.selector.NodeTerms;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * The admission of pods by a kubelet, with the checks, order, and messages of the real one. Only
 * the first failed check is reported.
 */
final class PodAdmission {
  /** The reason and message of a pod's rejection. */
  record Rejection(String reason, String message) {}

  private static final List<String> FIRST = List.of("cpu", "memory", "ephemeral-storage");

  private PodAdmission() {}

  static Optional<Rejection> check(
      JsonNode pod, PodUse use, JsonNode node, Collection<PodUse> others) {
    JsonNode labels = node.path("metadata").path("labels");
    String os = pod.path("metadata").path("labels").path("kubernetes.io/os").asText("linux");
    if (!os.equals(labels.path("kubernetes.io/os").asText("linux"))) {
      return Optional.of(
          new Rejection(
              "PodOSSelectorNodeLabelDoesNotMatch",
              "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label"));
    }
    if (!pod.path("spec").path("os").path("name").asText("linux").equals("linux")) {
      return Optional.of(
          new Rejection(
              "PodOSNotSupported", "Failed to admit pod as the OS field doesn't match node OS"));
    }
    return resources(use, node, others)
        .or(() -> affinity(pod, node))
        .or(() -> ports(use, others))
        .or(() -> taints(pod, node));
  }

  /**
   * Returns a rejection if the node does not have the resources that a pod requests in addition to
   * the other pods.
   */
  static Optional<Rejection> resources(PodUse use, JsonNode node, Collection<PodUse> others) {
    Map<String, Long> allocatable = PodUse.quantities(node.path("status").path("allocatable"));
    long pods = allocatable.getOrDefault("pods", 0L);
    if (others.size() + 1 > pods) {
      return Optional.of(insufficient("pods", 1, others.size(), pods));
    }
    TreeSet<String> names = new TreeSet<>(use.requests().keySet());
    names.removeAll(FIRST);
    for (String name : FIRST) {
      Optional<Rejection> rejection = resource(name, use, allocatable, others);
      if (rejection.isPresent()) {
        return rejection;
      }
    }
    for (String name : names) {
      // The kubelet ignores extended resources that no device plugin of the node has registered.
      if (allocatable.containsKey(name)) {
        Optional<Rejection> rejection = resource(name, use, allocatable, others);
        if (rejection.isPresent()) {
          return rejection;
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<Rejection> resource(
      String name, PodUse use, Map<String, Long> allocatable, Collection<PodUse> others) {
    long requested = use.requests().getOrDefault(name, 0L);
    if (requested == 0) {
      return Optional.empty();
    }
    long capacity = allocatable.getOrDefault(name, 0L);
    long used = others.stream().mapToLong(other -> other.requests().getOrDefault(name, 0L)).sum();
    return requested > capacity - used
        ? Optional.of(insufficient(name, requested, used, capacity))
        : Optional.empty();
  }

  private static Rejection insufficient(String name, long requested, long used, long capacity) {
    return new Rejection(
        "OutOf" + name,
        "Node didn't have enough resource: "
            + name
            + ", requested: "
            + requested
            + ", used: "
            + used
            + ", capacity: "
            + capacity);
  }

  private static Optional<Rejection> affinity(JsonNode pod, JsonNode node) {
    return NodeTerms.match(pod.path("spec"), node)
        ? Optional.empty()
        : Optional.of(
            predicate("NodeAffinity", "node(s) didn't match Pod's node affinity/selector"));
  }

  private static Optional<Rejection> ports(PodUse use, Collection<PodUse> others) {
    for (PodUse.HostPort port : use.hostPorts()) {
      for (PodUse other : others) {
        if (other.hostPorts().stream().anyMatch(port::conflictsWith)) {
          return Optional.of(
              predicate("NodePorts", "node(s) didn't have free ports for the requested pod ports"));
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<Rejection> taints(JsonNode pod, JsonNode node) {
    for (JsonNode taint : node.path("spec").path("taints")) {
      if (taint.path("effect").asText().equals("NoExecute") && !tolerated(pod, taint)) {
        return Optional.of(
            predicate("TaintToleration", "node(s) had taints that the pod didn't tolerate"));
      }
    }
    return Optional.empty();
  }

  private static boolean tolerated(JsonNode pod, JsonNode taint) {
    for (JsonNode toleration : pod.path("spec").path("tolerations")) {
      String key = toleration.path("key").asText("");
      String effect = toleration.path("effect").asText("");
      boolean exists = toleration.path("operator").asText("Equal").equals("Exists");
      boolean sameValue =
          exists || toleration.path("value").asText("").equals(taint.path("value").asText(""));
      boolean sameKey = (key.isEmpty() && exists) || key.equals(taint.path("key").asText());
      boolean sameEffect = effect.isEmpty() || effect.equals(taint.path("effect").asText());
      if (sameKey && sameEffect && sameValue) {
        return true;
      }
    }
    return false;
  }

  private static Rejection predicate(String name, String why) {
    return new Rejection(name, "Predicate " + name + " failed: " + why);
  }
}
