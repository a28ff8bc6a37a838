package io.berth.operator.gpu;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.engine.model.Card;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The annotation by which HAMi's device plugin describes the cards of its node: a JSON list today;
 * in older versions, comma-separated fields with a colon after each card.
 */
final class HamiRegister {
  static final String ANNOTATION = "hami.io/node-nvidia-register";

  /** UUIDs of cards that must not be assigned to further pods, separated by commas. */
  static final String CORDON = "hami.io/device-cordon";

  /** The time at which the device plugin and HAMi's scheduler heard of each other last. */
  static final String HANDSHAKE = "hami.io/node-handshake";

  private static final String GONE = "Deleted";
  private static final int MILLI_CORES_OF_ONE = 10;
  private static final int FIELDS = 7;
  private static final int FIELDS_WITH_MODE = 9;

  /** Hardware partitions (MIG), which are assigned by other means. */
  private static final String MIG = "mig";

  private static final ObjectMapper JSON = new ObjectMapper();

  private HamiRegister() {}

  /** Returns whether HAMi manages the node's NVIDIA cards, or has managed them. */
  static boolean isOfHami(Map<String, String> annotations) {
    return annotations.containsKey(ANNOTATION)
        || annotations.containsKey(HANDSHAKE)
        || annotations.containsKey(NodeLock.ANNOTATION);
  }

  /** Returns whether HAMi has marked the node's device plugin as gone. */
  static boolean isGone(Map<String, String> annotations) {
    return annotations.getOrDefault(HANDSHAKE, "").startsWith(GONE);
  }

  /** Returns the cards of a node; cordoned cards are reported as unhealthy. */
  static List<Card> cards(String register, String cordon) throws MalformedException {
    List<Card> cards =
        register.stripLeading().startsWith("[") ? fromJson(register) : fromFields(register);
    if (cards.isEmpty() || cards.size() > CardProtocols.MOST_CARDS) {
      throw new MalformedException(
          "it has " + cards.size() + " cards, not 1 to " + CardProtocols.MOST_CARDS);
    }
    Set<String> names = new HashSet<>();
    for (Card card : cards) {
      if (card.id().isEmpty() || !names.add(card.id())) {
        throw new MalformedException("card '" + card.id() + "' has no unique UUID");
      }
    }
    Set<String> cordoned =
        Stream.of(cordon.split(",", -1)).map(String::strip).collect(Collectors.toSet());
    return cards.stream()
        .map(card -> cordoned.contains(card.id()) ? card.asUnhealthy() : card)
        .toList();
  }

  /** A missing field is 0 or false, because HAMi omits such values. */
  private static List<Card> fromJson(String register) throws MalformedException {
    JsonNode list;
    try {
      list = JSON.readTree(register);
    } catch (JsonProcessingException e) {
      throw new MalformedException("it is not JSON: " + e.getOriginalMessage());
    }
    List<Card> cards = new ArrayList<>();
    for (JsonNode device : list) {
      for (String field : List.of("count", "devmem", "devcore", "numa")) {
        if (device.has(field) && !device.get(field).canConvertToInt()) {
          throw new MalformedException(field + " of a card is " + device.get(field));
        }
      }
      cards.add(
          card(
              device.path("id").asText(""),
              device.path("count").intValue(),
              device.path("devmem").intValue(),
              device.path("devcore").intValue(),
              device.path("type").asText(""),
              device.path("numa").intValue(),
              device.path("health").asBoolean(false),
              device.path("mode").asText("")));
    }
    return cards;
  }

  private static List<Card> fromFields(String register) throws MalformedException {
    List<Card> cards = new ArrayList<>();
    for (String device : register.split(":", -1)) {
      if (device.isBlank()) {
        continue;
      }
      String[] fields = device.strip().split(",", -1);
      if (fields.length != FIELDS && fields.length != FIELDS_WITH_MODE) {
        throw new MalformedException("'%s' does not have 7 or 9 fields".formatted(device));
      }
      cards.add(
          card(
              fields[0],
              number(fields[1], device),
              number(fields[2], device),
              number(fields[3], device),
              fields[4],
              number(fields[5], device),
              isTrue(fields[6], device),
              fields.length == FIELDS_WITH_MODE ? fields[8] : ""));
    }
    return cards;
  }

  private static Card card(
      String id,
      int count,
      int memory,
      int cores,
      String type,
      int numaNode,
      boolean healthy,
      String mode)
      throws MalformedException {
    if (memory < 0 || cores < 0) {
      throw new MalformedException("card '" + id + "' has a negative amount of memory or cores");
    }
    int milliCores = cores == 0 ? Card.MILLI_CORES : Math.min(cores, 100_000) * MILLI_CORES_OF_ONE;
    boolean usable = healthy && count > 0 && !mode.equals(MIG);
    return new Card(
        id, type, milliCores, memory, Math.max(1, count), "", Math.max(-1, numaNode), usable);
  }

  private static int number(String text, String device) throws MalformedException {
    try {
      return Integer.parseInt(text.strip());
    } catch (NumberFormatException e) {
      throw new MalformedException("'%s' in '%s' is not a number".formatted(text, device));
    }
  }

  private static boolean isTrue(String text, String device) throws MalformedException {
    String flag = text.strip();
    if (!flag.equals("true") && !flag.equals("false")) {
      throw new MalformedException("'%s' in '%s' is not true or false".formatted(text, device));
    }
    return flag.equals("true");
  }
}
