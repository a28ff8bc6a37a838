package io.berth.operator.extender;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.PodRef;
import io.berth.engine.decision.PreemptionCandidate;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Requests to extenders, field by field as kube-scheduler sends them: names are capitalized, and
 * absent values are null.
 */
final class Requests {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private Requests() {}

  /** About nodes, for an extender that knows them by their names. */
  static ObjectNode aboutNames(JsonNode pod, List<String> names) {
    ObjectNode request = JSON.objectNode();
    request.set("Pod", pod);
    request.putNull("Nodes");
    ArrayNode list = request.putArray("NodeNames");
    names.forEach(list::add);
    return request;
  }

  /** About nodes as a whole. */
  static ObjectNode aboutNodes(JsonNode pod, List<JsonNode> nodes) {
    ObjectNode request = JSON.objectNode();
    request.set("Pod", pod);
    ObjectNode list = request.putObject("Nodes");
    list.putObject("metadata");
    list.putArray("items").addAll(nodes);
    request.putNull("NodeNames");
    return request;
  }

  /** About victims, for an extender that knows pods by their UIDs. */
  static ObjectNode aboutVictimsByUid(JsonNode pod, List<PreemptionCandidate> candidates) {
    ObjectNode request = JSON.objectNode();
    request.set("Pod", pod);
    request.putNull("NodeNameToVictims");
    ObjectNode byNode = request.putObject("NodeNameToMetaVictims");
    for (PreemptionCandidate candidate : candidates) {
      victims(byNode, candidate, victim -> JSON.objectNode().put("UID", victim.uid()));
    }
    return request;
  }

  /**
   * About victims as a whole.
   *
   * @param pods the victims by UID
   */
  static ObjectNode aboutVictims(
      JsonNode pod, List<PreemptionCandidate> candidates, Map<String, JsonNode> pods) {
    ObjectNode request = JSON.objectNode();
    request.set("Pod", pod);
    ObjectNode byNode = request.putObject("NodeNameToVictims");
    for (PreemptionCandidate candidate : candidates) {
      victims(byNode, candidate, victim -> pods.getOrDefault(victim.uid(), JSON.nullNode()));
    }
    request.putNull("NodeNameToMetaVictims");
    return request;
  }

  private static void victims(
      ObjectNode byNode, PreemptionCandidate candidate, Function<PodRef, JsonNode> written) {
    ObjectNode victims = byNode.putObject(candidate.node());
    ArrayNode pods = victims.putArray("Pods");
    candidate.victims().forEach(victim -> pods.add(written.apply(victim)));
    victims.put("NumPDBViolations", candidate.budgetViolations());
  }

  /** About a Binding. */
  static ObjectNode aboutBinding(PodRef pod, String nodeName) {
    return JSON.objectNode()
        .put("PodName", pod.name())
        .put("PodNamespace", pod.namespace())
        .put("PodUID", pod.uid())
        .put("Node", nodeName);
  }
}
