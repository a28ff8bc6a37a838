package io.berth.engine;

import io.berth.engine.api.QueueState;
import io.berth.engine.model.QueueModel;
import io.berth.engine.model.ResourceAmounts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The rules that the fair shares of all queues keep, as docs/queues.md describes them, whatever the
 * queues are.
 */
final class FairShareOracle {
  private final Map<String, QueueState> states = new HashMap<>();
  private final Map<String, QueueModel> models = new HashMap<>();
  private final Map<String, List<String>> children = new HashMap<>();
  private final List<String> wrong = new ArrayList<>();

  private FairShareOracle(List<QueueState> states, List<QueueModel> models) {
    for (QueueState state : states) {
      this.states.put(state.name(), state);
      children.computeIfAbsent(state.parent(), absent -> new ArrayList<>()).add(state.name());
    }
    models.forEach(model -> this.models.put(model.name(), model));
  }

  /** Returns what is wrong; empty if nothing is. */
  static List<String> wrong(List<QueueState> states, List<QueueModel> models, long[] capacity) {
    FairShareOracle oracle = new FairShareOracle(states, models);
    for (int r = 0; r < capacity.length; r++) {
      String resource = QueueOracle.RESOURCES.get(r);
      if (states.stream().anyMatch(state -> state.used().names(resource))) {
        oracle.check("", resource, capacity[r]);
      }
    }
    return oracle.wrong;
  }

  private void check(String parent, String resource, long amount) {
    List<String> queues = children.getOrDefault(parent, List.of());
    if (queues.isEmpty()) {
      return;
    }
    long sum = 0;
    long demand = 0;
    for (String queue : queues) {
      long fair = fair(queue, resource);
      sum += fair;
      demand += demand(queue, resource);
      if (fair > demand(queue, resource)) {
        wrong.add("%s has more %s than it asks for".formatted(queue, resource));
      }
      for (String other : queues) {
        compare(queue, other, resource);
      }
      check(queue, resource, fair);
    }
    if (sum != Math.min(amount, demand)) {
      wrong.add(
          "the parts of %s have %d of %d %s, and ask for %d"
              .formatted(parent, sum, amount, resource, demand));
    }
  }

  /** No queue that asks for more may see another, of lower rank, with more beyond its guarantee. */
  private void compare(String queue, String other, String resource) {
    if (fair(queue, resource) >= demand(queue, resource) || beyond(other, resource) <= 0) {
      return;
    }
    int order = Integer.compare(priority(queue), priority(other));
    double mine = (double) beyond(queue, resource) / weight(queue);
    double others = (double) (beyond(other, resource) - 1) / weight(other);
    boolean belowItsGuarantee = beyond(queue, resource) < 0;
    if (belowItsGuarantee || order > 0 || (order == 0 && others > mine + 1)) {
      wrong.add("%s lacks %s, and %s has too much".formatted(queue, resource, other));
    }
  }

  private long fair(String queue, String resource) {
    return state(queue).fairShare().amountOf(resource);
  }

  private long beyond(String queue, String resource) {
    return fair(queue, resource) - covered(queue, resource);
  }

  /** Returns what guarantees cover of a demand: that of the queue, or those of its parts. */
  private long covered(String queue, String resource) {
    long ofParts =
        children.getOrDefault(queue, List.of()).stream()
            .mapToLong(part -> covered(part, resource))
            .sum();
    return Math.min(
        demand(queue, resource), Math.max(ofParts, guarantee(queue).amountOf(resource)));
  }

  private long demand(String queue, String resource) {
    List<String> parts = children.getOrDefault(queue, List.of());
    long wanted =
        parts.isEmpty()
            ? state(queue).used().amountOf(resource)
                + state(queue).pending().requested().amountOf(resource)
            : parts.stream().mapToLong(part -> demand(part, resource)).sum();
    QueueModel model = models.get(queue);
    return model != null && model.limit().names(resource)
        ? Math.min(wanted, model.limit().amountOf(resource))
        : wanted;
  }

  private ResourceAmounts guarantee(String queue) {
    QueueModel model = models.get(queue);
    return model == null ? ResourceAmounts.none() : model.guarantee();
  }

  private int priority(String queue) {
    return models.containsKey(queue) ? models.get(queue).priority() : 0;
  }

  private int weight(String queue) {
    return models.containsKey(queue) ? models.get(queue).weight() : 1;
  }

  private QueueState state(String queue) {
    return states.get(queue);
  }
}
