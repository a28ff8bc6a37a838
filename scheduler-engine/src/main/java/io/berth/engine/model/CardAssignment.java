package io.berth.engine.model;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Which cards of its node a pod was given.
 *
 * @param cards the indexes of the cards by container
 */
public record CardAssignment(Map<String, List<Integer>> cards) {
  /** On a pod: which cards of its node each container was given, as {@link #toJson} writes it. */
  public static final String ANNOTATION = "gpu.sched.cloud.ctrip.com/cards";

  private static final ObjectMapper JSON = new ObjectMapper();

  public CardAssignment {
    TreeMap<String, List<Integer>> copy = new TreeMap<>();
    cards.forEach((container, indexes) -> copy.put(container, List.copyOf(indexes)));
    cards = Collections.unmodifiableMap(copy);
  }

  /**
   * Whether it gives each request as many different cards as it asks for, and nothing to others;
   * and no card that is whole to two of them.
   */
  public boolean answers(List<CardRequest> requests) {
    if (cards.size() != requests.size()) {
      return false;
    }
    Set<Integer> whole = new HashSet<>();
    Set<Integer> shared = new HashSet<>();
    for (CardRequest request : requests) {
      List<Integer> given = cards.get(request.container());
      if (given == null || given.size() != request.cards()) {
        return false;
      }
      for (int card : given) {
        boolean free = request.isWhole() ? whole.add(card) : !whole.contains(card);
        if (card < 0 || !free) {
          return false;
        }
        if (!request.isWhole()) {
          shared.add(card);
        }
      }
    }
    return Collections.disjoint(whole, shared);
  }

  /** A JSON object: {@code {"<container>":[0,1]}}. The names of containers need no escapes. */
  public String toJson() {
    StringBuilder json = new StringBuilder("{");
    cards.forEach(
        (container, indexes) -> {
          json.append(json.length() == 1 ? "" : ",").append('"').append(container).append("\":[");
          for (int i = 0; i < indexes.size(); i++) {
            json.append(i == 0 ? "" : ",").append(indexes.get(i));
          }
          json.append(']');
        });
    return json.append('}').toString();
  }

  /**
   * Reads what {@link #toJson} writes.
   *
   * @throws IllegalArgumentException if it is something else, saying what
   */
  public static CardAssignment fromJson(String json) {
    JsonNode object;
    try {
      object = JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("it is not JSON: " + e.getOriginalMessage(), e);
    }
    if (!object.isObject()) {
      throw new IllegalArgumentException("it is not a JSON object: {\"<container>\":[0,1]}");
    }
    Map<String, List<Integer>> cards = new HashMap<>();
    object.properties().forEach(field -> cards.put(field.getKey(), indexes(field.getValue())));
    return new CardAssignment(cards);
  }

  private static List<Integer> indexes(JsonNode list) {
    List<Integer> indexes = new ArrayList<>();
    for (JsonNode index : list) {
      if (!index.canConvertToInt() || !index.isIntegralNumber() || index.intValue() < 0) {
        throw new IllegalArgumentException("'" + index + "' is not the index of a card");
      }
      indexes.add(index.intValue());
    }
    if (!list.isArray() || indexes.isEmpty()) {
      throw new IllegalArgumentException("'" + list + "' is not a list of card indexes");
    }
    return indexes;
  }
}
