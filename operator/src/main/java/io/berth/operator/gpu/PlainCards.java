package io.berth.operator.gpu;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.engine.model.Card;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.CardInventory;
import io.berth.engine.model.CardInventory.AtOnce;
import io.berth.engine.model.CardInventory.Order;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.PodCards;
import io.berth.operator.gpu.GpuPod.GpuContainer;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Berth's own protocol, for agents that read the indexes of cards from one annotation. The node's
 * cards are described in an annotation of the node.
 */
final class PlainCards implements CardProtocol {
  static final String AGENT = "plain";

  /** The annotation on a node with a JSON list of its cards. */
  static final String INVENTORY = "gpu.sched.cloud.ctrip.com/inventory";

  /** In thousandths of a card; a multiple of 1000 for whole cards. */
  static final String MILLI_GPU = PodCards.MILLI_GPU;

  /** In MiB of one card's memory. */
  static final String MEMORY = "gpu.sched.cloud.ctrip.com/memory-mib";

  static final Set<String> RESOURCES = Set.of(MILLI_GPU, MEMORY);

  private static final Set<String> FIELDS =
      Set.of("index", "memory", "model", "numa", "link", "healthy");
  private static final ObjectMapper JSON = new ObjectMapper();

  @Override
  public String agent() {
    return AGENT;
  }

  @Override
  public Optional<CardInventory> inventory(Node node) {
    Map<String, String> annotations = node.getMetadata().getAnnotations();
    String text = annotations == null ? null : annotations.get(INVENTORY);
    if (text == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new CardInventory(AGENT, cards(text), Order.FREE, AtOnce.ANY, Optional.empty()));
    } catch (MalformedException e) {
      return Optional.of(
          CardInventory.unusable(AGENT, "annotation " + INVENTORY + ": " + e.getMessage()));
    }
  }

  private static List<Card> cards(String text) throws MalformedException {
    JsonNode list;
    try {
      list = JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new MalformedException("it is not JSON: " + e.getOriginalMessage());
    }
    if (!list.isArray() || list.isEmpty() || list.size() > CardProtocols.MOST_CARDS) {
      throw new MalformedException(
          "it is not a list of 1 to " + CardProtocols.MOST_CARDS + " cards");
    }
    List<Card> cards = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (int i = 0; i < list.size(); i++) {
      Card card = card(list.get(i), "[" + i + "]");
      if (!names.add(card.id())) {
        throw new MalformedException("index " + card.id() + " appears twice");
      }
      cards.add(card);
    }
    return cards;
  }

  private static Card card(JsonNode json, String where) throws MalformedException {
    if (!json.isObject()) {
      throw new MalformedException(where + " is not an object");
    }
    Set<String> unknown = new TreeSet<>();
    json.fieldNames().forEachRemaining(unknown::add);
    unknown.removeAll(FIELDS);
    if (!unknown.isEmpty()) {
      throw new MalformedException(
          "%s has the unknown fields %s; accepted: %s"
              .formatted(where, unknown, String.join(", ", new TreeSet<>(FIELDS))));
    }
    JsonNode healthy = json.path("healthy");
    if (!healthy.isMissingNode() && !healthy.isBoolean()) {
      throw new MalformedException(where + ".healthy is neither true nor false");
    }
    if (!json.has("index")) {
      throw new MalformedException(where + " has no index");
    }
    return new Card(
        String.valueOf(number(json, "index", 0, where)),
        text(json, "model", where),
        Card.MILLI_CORES,
        number(json, "memory", 0, where),
        0,
        text(json, "link", where),
        number(json, "numa", -1, where),
        healthy.asBoolean(true));
  }

  private static int number(JsonNode json, String field, int absent, String where)
      throws MalformedException {
    JsonNode value = json.path(field);
    if (value.isMissingNode()) {
      return absent;
    }
    if (!value.isIntegralNumber() || !value.canConvertToInt() || value.intValue() < absent) {
      throw new MalformedException(
          "%s.%s is not an integer of at least %d".formatted(where, field, absent));
    }
    return value.intValue();
  }

  private static String text(JsonNode json, String field, String where) throws MalformedException {
    JsonNode value = json.path(field);
    if (!value.isMissingNode() && !value.isTextual()) {
      throw new MalformedException(where + "." + field + " is not a string");
    }
    return value.asText("");
  }

  @Override
  public Optional<Demand> demand(GpuPod pod, Map<String, String> annotations) {
    if (!pod.asksFor(MILLI_GPU) && !pod.asksFor(MEMORY)) {
      return Optional.empty();
    }
    for (GpuContainer container : pod.containers()) {
      Optional<String> problem = problem(container);
      if (problem.isPresent()) {
        return problem.map(Demand::impossible);
      }
    }
    return Optional.of(
        new Demand(
            InitRequests.of(pod, PlainCards::request).requests(), Set.of(AGENT), Optional.empty()));
  }

  private static Optional<String> problem(GpuContainer container) {
    long milliGpu = container.amount(MILLI_GPU);
    String who = "container " + container.name();
    if (milliGpu > Card.MILLI_CORES && milliGpu % Card.MILLI_CORES != 0) {
      return Optional.of(
          "%s asks for %d of %s: ask for a share, 1 to 999, or for whole cards, 1000 each"
              .formatted(who, milliGpu, MILLI_GPU));
    }
    if (container.amount(Hami.COUNT) > 0 && (milliGpu > 0 || container.amount(MEMORY) > 0)) {
      return Optional.of(
          "%s asks for %s and for a share of a card: request only one of them"
              .formatted(who, Hami.COUNT));
    }
    if (milliGpu >= Card.MILLI_CORES && container.amount(MEMORY) > 0) {
      return Optional.of(
          "%s asks for whole cards and for %s: a whole card has all of its memory"
              .formatted(who, MEMORY));
    }
    return CardProtocols.tooMany(
        who, Math.max(container.amount(Hami.COUNT), milliGpu / Card.MILLI_CORES));
  }

  private static Optional<CardRequest> request(GpuContainer container) {
    long milliGpu = container.amount(MILLI_GPU);
    long memory = container.amount(MEMORY);
    long whole = milliGpu / Card.MILLI_CORES + container.amount(Hami.COUNT);
    if (whole > 0) {
      return Optional.of(CardRequest.whole(container.name(), (int) whole));
    }
    return milliGpu == 0 && memory == 0
        ? Optional.empty()
        : Optional.of(CardRequest.share(container.name(), (int) milliGpu, memory));
  }

  @Override
  public Optional<CardAssignment> assignment(Pod pod, Map<String, String> annotations) {
    String text = annotations.get(CardAssignment.ANNOTATION);
    if (text == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(CardAssignment.fromJson(AGENT, text));
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // unknown cards: the engine excludes the node and reports it
    }
  }

  @Override
  public boolean awaitsCards(Pod pod, Map<String, String> annotations) {
    return false;
  }

  @Override
  public Writing write(Placement placement) {
    InitRequests requests = InitRequests.of(placement.pod(), PlainCards::request);
    Map<String, List<String>> cards = new HashMap<>(placement.assigned().cards());
    for (GpuContainer container : placement.pod().containers()) {
      request(container)
          .ifPresent(
              request ->
                  cards.put(
                      container.name(),
                      requests.cardsOf(
                          container.name(), request.cards(), placement.assigned().cards())));
    }
    return new Writing(
        Map.of(CardAssignment.ANNOTATION, new CardAssignment(AGENT, cards).toJson()),
        Map.of(),
        false);
  }
}
