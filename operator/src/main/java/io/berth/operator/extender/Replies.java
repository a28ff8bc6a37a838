package io.berth.operator.extender;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.berth.operator.extender.ExtenderException.Reason;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Parses extender responses as kube-scheduler does: field names are case-insensitive, unknown
 * fields are ignored, null means absent, and a value of the wrong type is an error.
 */
final class Replies {
  private static final int LONGEST_TEXT = 300;

  private Replies() {}

  /**
   * The response to a filter call.
   *
   * @param nodes the names of the remaining nodes
   * @param failed the reasons for nodes that are rejected, but where evictions may help
   * @param unresolvable the reasons for nodes that are rejected whichever pods are evicted
   */
  record Filtered(
      List<String> nodes, Map<String, String> failed, Map<String, String> unresolvable) {}

  /** The victims on one node, by UID. */
  record VictimsByUid(List<String> uids, long budgetViolations) {}

  /**
   * Parses the response to a filter call.
   *
   * @param byName whether the request named the nodes instead of containing them
   * @param asked the names of the nodes in the request
   */
  static Filtered filtered(JsonNode json, boolean byName, List<String> asked)
      throws ExtenderException {
    object(json, "the response");
    checkError(json);
    Map<String, String> failed = texts(field(json, "FailedNodes"), "FailedNodes");
    Map<String, String> unresolvable =
        texts(field(json, "FailedAndUnresolvableNodes"), "FailedAndUnresolvableNodes");
    List<String> nodes = new ArrayList<>();
    JsonNode names = field(json, "NodeNames");
    JsonNode list = field(json, "Nodes");
    if (byName && isGiven(names)) {
      array(names, "NodeNames").forEach(nodes::add);
    } else if (isGiven(list)) {
      object(list, "Nodes");
      JsonNode items = field(list, "items");
      for (int i = 0; i < items.size(); i++) {
        nodes.add(text(items.get(i).path("metadata").path("name"), "Nodes.items[" + i + "] name"));
      }
    } else if (isGiven(names)) {
      throw nonsense("it has NodeNames, which requires nodeCacheCapable");
    }
    for (String node : nodes) {
      if (!asked.contains(node)) {
        throw nonsense("it names node \"" + cut(node) + "\", which is not in the request");
      }
    }
    return new Filtered(nodes, failed, unresolvable);
  }

  /** Parses the response to a prioritize call: scores by node name. */
  static Map<String, Long> scores(JsonNode json) throws ExtenderException {
    Map<String, Long> scores = new LinkedHashMap<>();
    if (json.isNull()) {
      return scores;
    }
    if (!json.isArray()) {
      throw nonsense("it must be a list of hosts with their scores");
    }
    for (int i = 0; i < json.size(); i++) {
      object(json.get(i), "[" + i + "]");
      String host = text(field(json.get(i), "Host"), "[" + i + "].Host");
      scores.merge(host, whole(field(json.get(i), "Score"), "[" + i + "].Score"), Long::sum);
    }
    return scores;
  }

  /** Parses the response to a preempt call: victims by node name. */
  static Map<String, VictimsByUid> victims(JsonNode json) throws ExtenderException {
    object(json, "the response");
    Map<String, VictimsByUid> victims = new LinkedHashMap<>();
    JsonNode byNode = field(json, "NodeNameToMetaVictims");
    if (isGiven(byNode)) {
      object(byNode, "NodeNameToMetaVictims");
      for (Map.Entry<String, JsonNode> entry : byNode.properties()) {
        String at = "NodeNameToMetaVictims." + cut(entry.getKey());
        JsonNode given = entry.getValue();
        List<String> uids = new ArrayList<>();
        long violations = 0;
        if (isGiven(given)) {
          object(given, at);
          for (JsonNode pod : field(given, "Pods")) {
            uids.add(text(field(pod, "UID"), at + ".Pods[].UID"));
          }
          violations = whole(field(given, "NumPDBViolations"), at + ".NumPDBViolations");
        }
        victims.put(entry.getKey(), new VictimsByUid(uids, violations));
      }
    }
    return victims;
  }

  /** Parses the response to a bind call. */
  static void bound(JsonNode json) throws ExtenderException {
    object(json, "the response");
    checkError(json);
  }

  private static void checkError(JsonNode json) throws ExtenderException {
    String error = text(field(json, "Error"), "Error");
    if (!error.isEmpty()) {
      throw new ExtenderException(Reason.ERROR, "reported: " + cut(error));
    }
  }

  /** Returns the field with this name, ignoring case; if there are several, the last one. */
  private static JsonNode field(JsonNode object, String name) {
    JsonNode found = MissingNode.getInstance();
    for (Map.Entry<String, JsonNode> entry : object.properties()) {
      if (entry.getKey().equalsIgnoreCase(name)) {
        found = entry.getValue();
      }
    }
    return found;
  }

  private static boolean isGiven(JsonNode value) {
    return !value.isMissingNode() && !value.isNull();
  }

  private static void object(@Nullable JsonNode value, String place) throws ExtenderException {
    if (value == null || !value.isObject()) {
      throw nonsense(place + " must be a JSON object");
    }
  }

  private static List<String> array(JsonNode value, String place) throws ExtenderException {
    if (!value.isArray()) {
      throw nonsense(place + " must be a list");
    }
    List<String> texts = new ArrayList<>();
    for (JsonNode item : value) {
      texts.add(text(item, place + "[" + texts.size() + "]"));
    }
    return texts;
  }

  private static Map<String, String> texts(JsonNode value, String place) throws ExtenderException {
    Map<String, String> texts = new LinkedHashMap<>();
    if (isGiven(value)) {
      object(value, place);
      for (Map.Entry<String, JsonNode> entry : value.properties()) {
        texts.put(entry.getKey(), cut(text(entry.getValue(), place + "." + cut(entry.getKey()))));
      }
    }
    return texts;
  }

  private static String text(JsonNode value, String place) throws ExtenderException {
    if (!isGiven(value)) {
      return "";
    }
    if (!value.isTextual()) {
      throw nonsense(place + " must be a string");
    }
    return value.textValue();
  }

  private static long whole(JsonNode value, String place) throws ExtenderException {
    if (!isGiven(value)) {
      return 0;
    }
    if (!value.isIntegralNumber() || !value.canConvertToLong()) {
      throw nonsense(place + " must be a whole number");
    }
    return value.longValue();
  }

  static ExtenderException nonsense(String what) {
    return new ExtenderException(Reason.ANSWER, "returned an invalid response: " + what);
  }

  static String cut(String text) {
    return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "...";
  }
}
