package io.berth.operator.record;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.cards.CardMap;
import io.berth.engine.cards.CardMap.CardUse;
import io.berth.engine.cards.CardMap.Holder;
import io.berth.engine.model.Card;
import io.berth.engine.model.PodRef;
import java.util.List;

/** Renders the GPU cards of a node as text and as JSON. */
final class CardPage {
  private CardPage() {}

  /** Returns plain text, with a line for each card and for each container that uses it. */
  static String text(CardMap map) {
    StringBuilder out = new StringBuilder();
    out.append("Node   %s%nAgent  %s%n".formatted(map.nodeName(), agent(map)));
    map.inventory()
        .problem()
        .ifPresent(
            problem -> out.append("The cards cannot be used: ").append(problem).append('\n'));
    for (int i = 0; i < map.cards().size(); i++) {
      CardUse use = map.cards().get(i);
      Card card = map.inventory().cards().get(i);
      out.append(
          "%nCard %s %s: %d of %d thousandths and %d of %d MiB used%s%n"
              .formatted(
                  use.id(),
                  card.model(),
                  use.usedMilliCores(),
                  card.milliCores(),
                  use.usedMemoryMebibytes(),
                  card.memoryMebibytes(),
                  card.healthy() ? "" : ", unusable"));
      for (Holder holder : use.holders()) {
        out.append(
            "  %6d  %8d MiB  %s, container %s%n"
                .formatted(
                    holder.milliCores(),
                    holder.memoryMebibytes(),
                    holder.pod(),
                    holder.container()));
      }
    }
    list(out, "Pods whose cards are unknown", map.unknown());
    list(out, "Pods that wait for the agent to assign their cards", map.awaiting());
    return out.toString();
  }

  private static String agent(CardMap map) {
    return map.inventory().agent().isEmpty() ? "none" : map.inventory().agent();
  }

  private static void list(StringBuilder out, String title, List<PodRef> pods) {
    if (!pods.isEmpty()) {
      out.append('\n').append(title).append('\n');
      pods.forEach(pod -> out.append("  ").append(pod).append('\n'));
    }
  }

  /** Returns JSON with the same content. */
  static ObjectNode json(CardMap map) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("node", map.nodeName()).put("agent", agent(map));
    map.inventory().problem().ifPresent(problem -> json.put("problem", problem));
    ArrayNode cards = json.putArray("cards");
    for (int i = 0; i < map.cards().size(); i++) {
      CardUse use = map.cards().get(i);
      Card card = map.inventory().cards().get(i);
      ObjectNode item =
          cards
              .addObject()
              .put("id", use.id())
              .put("model", card.model())
              .put("healthy", card.healthy())
              .put("milliCores", card.milliCores())
              .put("usedMilliCores", use.usedMilliCores())
              .put("memoryMebibytes", card.memoryMebibytes())
              .put("usedMemoryMebibytes", use.usedMemoryMebibytes());
      ArrayNode holders = item.putArray("holders");
      for (Holder holder : use.holders()) {
        holders
            .addObject()
            .put("namespace", holder.pod().namespace())
            .put("pod", holder.pod().name())
            .put("container", holder.container())
            .put("milliCores", holder.milliCores())
            .put("memoryMebibytes", holder.memoryMebibytes());
      }
    }
    names(json.putArray("unknown"), map.unknown());
    names(json.putArray("awaiting"), map.awaiting());
    return json;
  }

  private static void names(ArrayNode json, List<PodRef> pods) {
    pods.forEach(pod -> json.add(pod.toString()));
  }
}
