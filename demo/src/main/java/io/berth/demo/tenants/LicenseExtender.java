package io.berth.demo.tenants;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/** The answers of the extender that the tenants' policies name. */
public final class LicenseExtender {

  private LicenseExtender() {}

  /** Returns whether a node is accepted: about three of four are. */
  public static boolean accepts(String nodeName) {
    return Math.floorMod(nodeName.hashCode(), 4) != 0;
  }

  /**
   * Returns the answer to a request that names nodes; empty for an unknown verb.
   *
   * @param verb the last part of the path
   */
  public static Optional<JsonNode> answer(String verb, JsonNode request) {
    JsonNode names = request.path("NodeNames");
    return switch (verb) {
      case "filter" -> Optional.of(filtered(names));
      case "prioritize" -> Optional.of(scores(names));
      default -> Optional.empty();
    };
  }

  private static ObjectNode filtered(JsonNode names) {
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    ArrayNode accepted = answer.putArray("NodeNames");
    ObjectNode failed = answer.putObject("FailedNodes");
    for (JsonNode name : names) {
      if (accepts(name.asText())) {
        accepted.add(name);
      } else {
        failed.put(name.asText(), "node has no license");
      }
    }
    return answer;
  }

  private static ArrayNode scores(JsonNode names) {
    ArrayNode scores = JsonNodeFactory.instance.arrayNode();
    for (JsonNode name : names) {
      int score = Math.floorMod(name.asText().hashCode(), 11);
      scores.addObject().put("Host", name.asText()).put("Score", score);
    }
    return scores;
  }

  /** Returns an answer that names a node about which no request asks. */
  public static JsonNode nonsense() {
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    answer.putArray("NodeNames").add("no-such-node");
    return answer;
  }
}
