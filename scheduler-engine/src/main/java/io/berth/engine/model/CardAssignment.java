package io.berth.engine.model;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The cards that were assigned to a pod, by container.
 *
 * @param agent the kind of agent that uses these names, as in {@link CardInventory#agent}
 * @param cards the names of the cards by container
 */
public record CardAssignment(String agent, Map<String, List<String>> cards) implements Assignment {
  /**
   * The annotation of a pod with the cards that each container was given, in the format of {@link
   * #toJson}.
   */
  public static final String ANNOTATION = "gpu.sched.cloud.ctrip.com/cards";

  private static final ObjectMapper JSON = new ObjectMapper();

  public CardAssignment {
    TreeMap<String, List<String>> copy = new TreeMap<>();
    cards.forEach((container, names) -> copy.put(container, List.copyOf(names)));
    cards = Collections.unmodifiableMap(copy);
  }

  /** Creates an assignment without an agent kind. */
  public CardAssignment(Map<String, List<String>> cards) {
    this("", cards);
  }

  /**
   * Returns whether it assigns to each request as many different cards as requested, and nothing to
   * other containers, and no whole card to two of them.
   */
  public boolean answers(List<CardRequest> requests) {
    if (cards.size() != requests.size()) {
      return false;
    }
    Set<String> whole = new HashSet<>();
    Set<String> shared = new HashSet<>();
    for (CardRequest request : requests) {
      List<String> given = cards.get(request.container());
      if (given == null
          || given.size() != request.cards()
          || new HashSet<>(given).size() != given.size()) {
        return false;
      }
      for (String card : given) {
        boolean free = request.isWhole() ? whole.add(card) : !whole.contains(card);
        if (!free) {
          return false;
        }
        if (!request.isWhole()) {
          shared.add(card);
        }
      }
    }
    return Collections.disjoint(whole, shared);
  }

  /** Returns the text of {@link #json}. */
  public String toJson() {
    return json().toString();
  }

  /**
   * Returns a JSON object: {@code {"<container>":[0,1]}}; names that are not numbers are strings.
   */
  public ObjectNode json() {
    ObjectNode json = JSON.createObjectNode();
    cards.forEach(
        (container, names) -> {
          ArrayNode list = json.putArray(container);
          for (String name : names) {
            if (isNumber(name)) {
              list.add(Integer.parseInt(name));
            } else {
              list.add(name);
            }
          }
        });
    return json;
  }

  /** Returns whether the name can be written as a number without loss. */
  private static boolean isNumber(String name) {
    return name.equals("0")
        || (!name.isEmpty()
            && name.length() <= 9
            && name.charAt(0) != '0'
            && name.chars().allMatch(digit -> digit >= '0' && digit <= '9'));
  }

  /**
   * Parses the format of {@link #toJson}.
   *
   * @throws IllegalArgumentException if the text has another format; the message describes the
   *     problem
   */
  public static CardAssignment fromJson(String agent, String json) {
    JsonNode object;
    try {
      object = JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("it is not JSON: " + e.getOriginalMessage(), e);
    }
    if (!object.isObject()) {
      throw new IllegalArgumentException("it is not a JSON object: {\"<container>\":[0,1]}");
    }
    Map<String, List<String>> cards = new HashMap<>();
    object.properties().forEach(field -> cards.put(field.getKey(), names(field.getValue())));
    return new CardAssignment(agent, cards);
  }

  /** Parses the format of {@link #toJson}, without an agent kind. */
  public static CardAssignment fromJson(String json) {
    return fromJson("", json);
  }

  private static List<String> names(JsonNode list) {
    List<String> names = new ArrayList<>();
    for (JsonNode name : list) {
      boolean index = name.isIntegralNumber() && name.canConvertToInt() && name.intValue() >= 0;
      if (!index && !(name.isTextual() && !name.textValue().isEmpty())) {
        throw new IllegalArgumentException("'" + name + "' is not the index or name of a card");
      }
      names.add(name.asText());
    }
    if (!list.isArray() || names.isEmpty()) {
      throw new IllegalArgumentException("'" + list + "' is not a list of cards");
    }
    return names;
  }
}
