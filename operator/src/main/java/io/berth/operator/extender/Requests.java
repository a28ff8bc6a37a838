package io.berth.operator.extender;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.decision.PreemptionCandidate;
import io.berth.engine.model.PodRef;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Requests to extenders, identical to kube-scheduler's: field names are capitalized, and absent
 * values are null.
 */
final class Requests {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private Requests() {}

  /**
   * Returns a filter or prioritize request that names the nodes, for an extender with its own node
   * cache.
   */
  static ObjectNode aboutNames(JsonNode pod, List<String> names) {
    ObjectNode request = JSON.objectNode();
    request.set("Pod", pod);
    request.putNull("Nodes");
    ArrayNode list = request.putArray("NodeNames");
    names.forEach(list::add);
    return request;
  }

  /** Returns a filter or prioritize request that contains the nodes. */
  static ObjectNode aboutNodes(JsonNode pod, List<JsonNode> nodes) {
    ObjectNode request = JSON.objectNode();
    request.set("Pod", pod);
    ObjectNode list = request.putObject("Nodes");
    list.putObject("metadata");
    list.putArray("items").addAll(nodes);
    request.putNull("NodeNames");
    return request;
  }

  /** Returns a preempt request that lists victims by UID, for an extender with its own cache. */
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
   * Returns a preempt request that contains the victims.
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

  /** Returns a bind request. */
  static ObjectNode aboutBinding(PodRef pod, String nodeName) {
    return JSON.objectNode()
        .put("PodName", pod.name())
        .put("PodNamespace", pod.namespace())
        .put("PodUID", pod.uid())
        .put("Node", nodeName);
  }
}
