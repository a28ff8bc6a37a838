package io.berth.operator.extender;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.model.PodRef;
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
 * The objects that are sent to extenders. Pods are read from the API server on demand, because
 * Berth caches only a part of each; nodes come from the caches. Like kube-scheduler, it omits kind
 * and apiVersion, and a pod's managed fields; cached nodes have no managed fields.
 */
public final class ClusterObjects {

  private static final JsonMapper JSON = new JsonMapper();

  /** The number of concurrent pod reads for one request. */
  private static final int READS_AT_ONCE = 16;

  private final ApiCalls api;
  private final Function<String, Optional<Node>> nodes;
  private final Function<String, Optional<OnNode>> placedPods;

  /** A pod and the node that it is bound to. */
  public record OnNode(PodRef pod, String nodeName) {}

  /**
   * @param nodes returns a node by name
   * @param placedPods returns a bound pod by UID
   */
  public ClusterObjects(
      ApiCalls api,
      Function<String, Optional<Node>> nodes,
      Function<String, Optional<OnNode>> placedPods) {
    this.api = api;
    this.nodes = nodes;
    this.placedPods = placedPods;
  }

  /** Thrown if the API server does not return a pod. */
  static final class UnreadPodException extends Exception {
    @java.io.Serial private static final long serialVersionUID = 1;

    UnreadPodException(String message) {
      super(message, null, false, false);
    }
  }

  /**
   * Reads a pod; blocks until the response arrives.
   *
   * @return the pod; empty if it was deleted
   */
  Optional<JsonNode> pod(PodRef pod) throws UnreadPodException {
    return read(pod, api.await(ask(pod)));
  }

  /** Reads pods, by UID; deleted pods are omitted. */
  Map<String, JsonNode> pods(List<PodRef> pods) throws UnreadPodException {
    Map<String, JsonNode> read = new HashMap<>();
    for (int from = 0; from < pods.size(); from += READS_AT_ONCE) {
      List<PodRef> some = pods.subList(from, Math.min(pods.size(), from + READS_AT_ONCE));
      List<CompletableFuture<Answer>> answers = some.stream().map(this::ask).toList();
      for (int i = 0; i < some.size(); i++) {
        PodRef pod = some.get(i);
        read(pod, api.await(answers.get(i))).ifPresent(json -> read.put(pod.uid(), json));
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

  /** Returns the nodes with these names; deleted nodes are omitted. */
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

  /** Returns the pod with this UID if it is bound to the node. */
  Optional<PodRef> podOn(String nodeName, String uid) {
    return placedPods
        .apply(uid)
        .filter(placed -> placed.nodeName().equals(nodeName))
        .map(OnNode::pod);
  }
}
