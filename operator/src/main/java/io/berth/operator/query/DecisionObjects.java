package io.berth.operator.query;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * Decisions as objects of the API. They are made of what {@code /explain} shows, field by field:
 * names of nodes other than the pod's own only for users who may list nodes, and names of pods in
 * other namespaces never.
 */
final class DecisionObjects {
  private static final List<String> NUMBERS_AND_WORDS =
      List.of("attempts", "outcome", "bindingMillis", "until", "group", "message");

  private final boolean namesNodes;

  /**
   * @param namesNodes whether the user may list nodes
   */
  DecisionObjects(boolean namesNodes) {
    this.namesNodes = namesNodes;
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
    String dryRunNode = explained.at("/wouldEvict/node").asText("");
    if (!namesNodes && !dryRunNode.isEmpty()) {
      status.put("message", status.path("message").asText().replace(dryRunNode, "a node"));
    }
    status
        .putObject("nodes")
        .put("total", explained.path("nodes").asInt())
        .put("feasible", explained.path("feasibleNodes").asInt())
        .put("notConsidered", explained.path("unconsideredNodes").asInt());
    status.set("rejections", explained.path("rejections").deepCopy());
    if (explained.has("devices")) {
      status.set("devices", explained.path("devices").deepCopy());
    }
    scores(status.putArray("bestNodes"), explained);
    victims(status, "evictions", explained.path("victims"), namespace);
    victims(status, "wouldEvict", explained.at("/wouldEvict/victims"), namespace);
    if (explained.has("nominatedBefore")) {
      ObjectNode nominated =
          status
              .putObject("nominatedBefore")
              .put("node", explained.at("/nominatedBefore/node").asText());
      victims(nominated, "evictions", explained.at("/nominatedBefore/victims"), namespace);
    }
    comparison(status, explained.path("decidedBy"));
    shadow(status, explained);
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
      shadow.put("message", tried.path("message").asText());
    }
    String node = tried.path("node").asText("");
    if (!node.isEmpty() && (namesNodes || node.equals(explained.path("node").asText("")))) {
      shadow.put("node", node);
    }
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
