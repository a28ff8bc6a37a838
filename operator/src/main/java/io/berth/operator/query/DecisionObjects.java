package io.berth.operator.query;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.operator.feed.FedPod;
import io.berth.webhook.binding.AppliedFields;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Predicate;

/**
 * Decisions as objects of the API. They are made of what {@code /explain} shows, field by field:
 * names of nodes other than the pod's own only for users who may list nodes, and names of pods in
 * other namespaces never.
 */
final class DecisionObjects {
  private static final List<String> NUMBERS_AND_WORDS =
      List.of("attempts", "cause", "outcome", "bindingMillis", "until", "group", "message");

  private final boolean namesNodes;
  private final BiFunction<String, String, Optional<FedPod>> pods;
  private final Predicate<String> isNode;

  /**
   * @param namesNodes whether the user may list nodes
   * @param pods returns a cached pod by its namespace and name
   * @param isNode whether there is a node of this name
   */
  DecisionObjects(
      boolean namesNodes,
      BiFunction<String, String, Optional<FedPod>> pods,
      Predicate<String> isNode) {
    this.namesNodes = namesNodes;
    this.pods = pods;
    this.isNode = isNode;
  }

  /** Returns the object for one explanation. */
  ObjectNode of(JsonNode explained) {
    String namespace = explained.path("namespace").asText();
    ObjectNode decision = QueryApi.object("Decision");
    decision
        .putObject("metadata")
        .put("name", explained.path("pod").asText())
        .put("namespace", namespace)
        .put("uid", explained.path("uid").asText())
        .put("resourceVersion", explained.path("resourceVersion").asText())
        .put("creationTimestamp", explained.path("at").asText());
    ObjectNode status = decision.putObject("status");
    status.put("result", explained.path("decision").asText());
    if (explained.has("node")) {
      status.put("node", explained.path("node").asText());
    }
    status
        .putObject("policy")
        .put("name", explained.path("policy").asText())
        .put("revision", explained.path("policyRevision").asText());
    for (String field : NUMBERS_AND_WORDS) {
      if (explained.has(field)) {
        status.set(field, explained.path(field));
      }
    }
    applied(explained).ifPresent(applied -> status.set("applied", applied));
    if (namesNodes && !explained.path("notes").isEmpty()) {
      status.set("notes", explained.path("notes").deepCopy()); // of extenders
    }
    earlier(status, explained);
    status
        .putObject("nodes")
        .put("total", explained.path("nodes").asInt())
        .put("feasible", explained.path("feasibleNodes").asInt())
        .put("notConsidered", explained.path("unconsideredNodes").asInt());
    status.set("rejections", explained.path("rejections").deepCopy());
    for (String field : List.of("groupProgress", "devices", "cards")) {
      if (explained.has(field)) {
        status.set(field, explained.path(field).deepCopy());
      }
    }
    scores(status.putArray("bestNodes"), explained);
    victims(status, "evictions", explained.path("victims"), namespace);
    victims(status, "wouldEvict", explained.at("/wouldEvict/victims"), namespace);
    if (explained.has("nominatedBefore")) {
      ObjectNode nominated = status.putObject("nominatedBefore");
      nameNode(nominated, explained.at("/nominatedBefore/node").asText(""), explained);
      victims(nominated, "evictions", explained.at("/nominatedBefore/victims"), namespace);
    }
    comparison(status, explained.path("decidedBy"));
    shadow(status, explained);
    if (!namesNodes) {
      Set<String> named = namedNodes(explained);
      new NodeNames(
              name -> named.contains(name) || isNode.test(name), explained.path("node").asText(""))
          .hideIn(status);
    }
    return decision;
  }

  private void scores(ArrayNode list, JsonNode explained) {
    String own = explained.path("node").asText("");
    for (JsonNode node : explained.path("bestNodes")) {
      ObjectNode item = list.addObject();
      String name = node.path("node").asText();
      if (namesNodes || name.equals(own)) {
        item.put("node", name);
      }
      item.set("total", node.path("total"));
      item.set("plugins", node.path("plugins").deepCopy());
    }
  }

  private static void victims(ObjectNode status, String field, JsonNode named, String namespace) {
    if (!named.isArray() || named.isEmpty()) {
      return;
    }
    ObjectNode item = status.putObject(field);
    ArrayNode names = item.putArray("names");
    for (JsonNode victim : named) {
      String fullName = victim.asText();
      if (fullName.startsWith(namespace + "/")) {
        names.add(fullName.substring(namespace.length() + 1));
      }
    }
    item.put("pods", named.size()).put("ofOtherNamespaces", named.size() - names.size());
  }

  private void shadow(ObjectNode status, JsonNode explained) {
    JsonNode tried = explained.path("shadow");
    if (!tried.isObject()) {
      return;
    }
    ObjectNode shadow =
        status
            .putObject("shadow")
            .put("policy", tried.path("policy").asText())
            .put("result", tried.path("result").asText());
    if (tried.has("message")) {
      boolean isFailure = tried.path("result").asText().equals("Failed");
      shadow.put(
          "message",
          isFailure && !namesNodes ? "the attempt failed" : tried.path("message").asText());
    }
    nameNode(shadow, tried.path("node").asText(""), explained);
  }

  /** Writes the name of a node, if it is the pod's own or the user may list nodes. */
  private void nameNode(ObjectNode item, String node, JsonNode explained) {
    if (!node.isEmpty() && (namesNodes || node.equals(explained.path("node").asText("")))) {
      item.put("node", node);
    }
  }

  /** Returns the nodes that a decision names in its fields, which may be gone from the cluster. */
  private static Set<String> namedNodes(JsonNode explained) {
    Set<String> named = new HashSet<>();
    named.add(explained.at("/wouldEvict/node").asText(""));
    named.add(explained.at("/nominatedBefore/node").asText(""));
    named.add(explained.at("/shadow/node").asText(""));
    explained.path("earlier").forEach(result -> named.add(result.path("node").asText("")));
    return named;
  }

  /** Writes the results before the latest one. */
  private void earlier(ObjectNode status, JsonNode explained) {
    if (explained.path("earlier").isEmpty()) {
      return;
    }
    ArrayNode list = status.putArray("earlier");
    for (JsonNode result : explained.path("earlier")) {
      ObjectNode item =
          list.addObject()
              .put("result", result.path("result").asText())
              .put("at", result.path("at").asText())
              .put("times", result.path("times").asInt());
      nameNode(item, result.path("node").asText(""), explained);
      for (String field : List.of("message", "outcome")) {
        if (result.has(field)) {
          item.put(field, result.path(field).asText());
        }
      }
    }
  }

  /**
   * Returns what the webhook rendered into the pod, and by which bindings and configs; empty if the
   * pod is gone, or nothing was rendered.
   */
  private Optional<JsonNode> applied(JsonNode explained) {
    return pods.apply(explained.path("namespace").asText(), explained.path("pod").asText())
        .filter(pod -> pod.ref().uid().equals(explained.path("uid").asText()))
        .flatMap(pod -> AppliedFields.of(pod.annotations()).json());
  }

  private void comparison(ObjectNode status, JsonNode decidedBy) {
    if (!decidedBy.isObject()) {
      return;
    }
    ObjectNode item = status.putObject("decidedBy");
    if (namesNodes) {
      item.put("runnerUp", decidedBy.path("runnerUp").asText());
    }
    item.set("lead", decidedBy.path("lead"));
    item.set("plugins", decidedBy.path("plugins").deepCopy());
  }
}
