package io.berth.operator.extender;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.PodRef;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.fabric8.kubernetes.api.model.Node;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * The objects that extenders are sent. Pods are read from the API server when they are needed, as
 * Berth keeps only a part of each; nodes are those of the caches. As kube-scheduler, it leaves out
 * kind and apiVersion, and a pod's managed fields. The caches have no managed fields of nodes.
 */
public final class ClusterObjects {

  private static final JsonMapper JSON = new JsonMapper();

  /** The number of pods that are read at a time for one question. */
  private static final int READS_AT_ONCE = 16;

  private final ApiCalls api;
  private final Function<String, Optional<Node>> nodes;
  private final Function<String, Optional<OnNode>> placedPods;

  /** A pod, and the node that it is bound to. */
  public record OnNode(PodRef pod, String nodeName) {}

  /**
   * @param nodes finds a node by its name
   * @param placedPods finds a pod that is bound by its UID
   */
  public ClusterObjects(
      ApiCalls api,
      Function<String, Optional<Node>> nodes,
      Function<String, Optional<OnNode>> placedPods) {
    this.api = api;
    this.nodes = nodes;
    this.placedPods = placedPods;
  }

  /** Says that the API server did not give a pod. */
  static final class UnreadPodException extends Exception {
    @java.io.Serial private static final long serialVersionUID = 1;

    UnreadPodException(String message) {
      super(message, null, false, false);
    }
  }

  /**
   * Reads a pod, waiting for it.
   *
   * @return the pod; empty if it was deleted
   */
  Optional<JsonNode> pod(PodRef pod) throws UnreadPodException {
    return read(pod, ask(pod).join());
  }

  /** Reads pods; those that are gone are left out. By UID. */
  Map<String, JsonNode> pods(List<PodRef> pods) throws UnreadPodException {
    Map<String, JsonNode> read = new HashMap<>();
    for (int from = 0; from < pods.size(); from += READS_AT_ONCE) {
      List<PodRef> some = pods.subList(from, Math.min(pods.size(), from + READS_AT_ONCE));
      List<CompletableFuture<Answer>> answers = some.stream().map(this::ask).toList();
      for (int i = 0; i < some.size(); i++) {
        PodRef pod = some.get(i);
        read(pod, answers.get(i).join()).ifPresent(json -> read.put(pod.uid(), json));
      }
    }
    return read;
  }

  private CompletableFuture<Answer> ask(PodRef pod) {
    CompletableFuture<Answer> answered = new CompletableFuture<>();
    api.get("/api/v1/namespaces/" + pod.namespace() + "/pods/" + pod.name(), answered::complete);
    return answered;
  }

  private static Optional<JsonNode> read(PodRef pod, Answer answer) throws UnreadPodException {
    if (answer.code() == HttpURLConnection.HTTP_NOT_FOUND) {
      return Optional.empty();
    }
    if (!answer.ok() || !(answer.json() instanceof ObjectNode json)) {
      throw new UnreadPodException(
          "pod %s could not be read from the API server for its extenders: %s"
              .formatted(pod, answer.message()));
    }
    if (!json.path("metadata").path("uid").asText().equals(pod.uid())) {
      return Optional.empty();
    }
    json.remove(List.of("kind", "apiVersion"));
    if (json.get("metadata") instanceof ObjectNode metadata) {
      metadata.remove("managedFields");
    }
    return Optional.of(json);
  }

  /** The nodes with these names; those that are gone are left out. */
  List<JsonNode> nodes(List<String> names) {
    List<JsonNode> found = new ArrayList<>(names.size());
    for (String name : names) {
      nodes
          .apply(name)
          .ifPresent(
              node -> {
                ObjectNode json = JSON.valueToTree(node);
                json.remove(List.of("kind", "apiVersion"));
                found.add(json);
              });
    }
    return found;
  }

  /** The pod with this UID if it is on the node. */
  Optional<PodRef> podOn(String nodeName, String uid) {
    return placedPods
        .apply(uid)
        .filter(placed -> placed.nodeName().equals(nodeName))
        .map(OnNode::pod);
  }
}
