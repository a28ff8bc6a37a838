package io.berth.demo.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.demo.tenants.KubeObjects;
import io.berth.demo.tenants.ObjectKey;
import io.berth.demo.tenants.Tenants;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/**
 * The evictions of pods that were admitted unrendered, for the binding of ReplicaSets: they are
 * limited, and at rest no such pod is left, unless the binding says why.
 */
final class Repairs {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** 30 of a leader, and those of the first round of another, and of one that was delayed. */
  private static final int MOST_IN_A_MINUTE = 40;

  private final VirtualTime time;
  private final Consumer<String> onViolation;
  private final Deque<Long> lately = new ArrayDeque<>();
  private long evicted;

  Repairs(VirtualTime time, Consumer<String> onViolation) {
    this.time = time;
    this.onViolation = onViolation;
  }

  /** Counts an eviction. */
  void evicted() {
    evicted++;
    long now = time.nanoTime();
    lately.add(now);
    while (now - lately.getFirst() >= MINUTE.toNanos()) {
      lately.remove();
    }
    if (lately.size() == MOST_IN_A_MINUTE + 1) {
      onViolation.accept("more than %d repairs in a minute".formatted(MOST_IN_A_MINUTE));
    }
  }

  /** Returns the number of evictions. */
  long total() {
    return evicted;
  }

  /** Returns the bindings for ReplicaSets that lack pods at rest, without an obstacle. */
  static List<String> unfinished(List<ObjectNode> objects) {
    return objects.stream()
        .filter(object -> ObjectKey.of(object).kind().equals("SchedulerConfigBinding"))
        .filter(binding -> ObjectKey.of(binding).name().equals(Tenants.REPAIRED_BINDING))
        .filter(binding -> binding.at("/status/unrenderedPods").asInt() > 0)
        .filter(binding -> !saysWhy(binding))
        .map(
            binding ->
                "%s pods of %s lack the binding %s, which has no obstacle to their repair"
                    .formatted(
                        binding.at("/status/unrenderedPods"),
                        ObjectKey.of(binding).namespace(),
                        ObjectKey.of(binding).name()))
        .toList();
  }

  private static boolean saysWhy(ObjectNode binding) {
    JsonNode condition = KubeObjects.condition(binding, "Repaired");
    return condition != null && condition.path("status").asText().equals("False");
  }
}
