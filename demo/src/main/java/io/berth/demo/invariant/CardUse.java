package io.berth.demo.invariant;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.demo.tenants.KubeObjects;
import io.berth.demo.tenants.ObjectKey;
import io.berth.engine.model.CardAssignment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The use of the single GPU cards of a cluster. */
public final class CardUse {
  private static final String MILLI = "gpu.sched.cloud.ctrip.com/milli-gpu";
  private static final String AGENT = "plain";
  private static final int WHOLE = 1_000;

  private CardUse() {}

  /** Returns the cards of which more is given away than they have. */
  public static List<String> violations(List<ObjectNode> objects) {
    Map<String, Integer> used = new TreeMap<>();
    List<String> violations = new ArrayList<>();
    for (ObjectNode pod : objects) {
      if (pod.path("kind").asText().equals("Pod")
          && !KubeObjects.nodeOf(pod).isEmpty()
          && !KubeObjects.isFinished(pod)) {
        count(pod, used, violations);
      }
    }
    used.forEach(
        (card, milli) -> {
          if (milli > WHOLE) {
            violations.add("%d thousandths of %s are given away".formatted(milli, card));
          }
        });
    return violations;
  }

  private static void count(ObjectNode pod, Map<String, Integer> used, List<String> violations) {
    JsonNode container = pod.at("/spec/containers/0");
    int milli = container.path("resources").path("limits").path(MILLI).asInt(0);
    if (milli == 0) {
      return;
    }
    JsonNode text = pod.at("/metadata/annotations").path(CardAssignment.ANNOTATION);
    if (text.isMissingNode()) {
      violations.add("pod " + ObjectKey.of(pod) + " is bound, and has no cards");
      return;
    }
    List<String> cards =
        CardAssignment.fromJson(AGENT, text.asText())
            .cards()
            .getOrDefault(container.path("name").asText(), List.of());
    int expected = Math.max(1, milli / WHOLE);
    if (cards.size() != expected) {
      violations.add(
          "pod %s has %d cards instead of %d".formatted(ObjectKey.of(pod), cards.size(), expected));
    }
    for (String card : cards) {
      used.merge("card " + card + " of " + KubeObjects.nodeOf(pod), milli / expected, Integer::sum);
    }
  }
}
