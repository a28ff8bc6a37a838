package io.berth.engine.kube;

import io.berth.crds.SchedulingQueueSpec;
import io.berth.crds.queue.QueueNamespaces;
import io.berth.crds.schema.DurationText;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.QueueModel;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.quantity.ExactQuantity;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Compiles SchedulingQueues. */
final class QueueCompiler {
  private QueueCompiler() {}

  /**
   * Returns the queue.
   *
   * @throws RefusedException with the first field that cannot be parsed
   */
  static QueueModel compile(String name, @Nullable SchedulingQueueSpec given) {
    if (given == null) {
      throw new RefusedException("the queue has no spec");
    }
    String minRunTime = given.minRunTime();
    QueueNamespaces namespaces = given.namespaces();
    return new QueueModel(
        name,
        given.parent() == null ? "" : given.parent(),
        amounts(given.guarantee(), "spec.guarantee"),
        amounts(given.limit(), "spec.limit"),
        Math.max(1, given.weight()),
        given.priority(),
        minRunTime == null ? Duration.ZERO : duration(minRunTime),
        namespaces == null ? Set.of() : Set.copyOf(namespaces.names()),
        namespaces == null
            ? LabelSelector.nothing()
            : Selectors.labelSelector(namespaces.selector(), "spec.namespaces.selector"));
  }

  private static Duration duration(String text) {
    return DurationText.read(text)
        .orElseThrow(
            () ->
                new RefusedException(
                    "spec.minRunTime is \"%s\": write a duration such as 10m".formatted(text)));
  }

  /**
   * Returns the amounts of a guarantee or limit.
   *
   * @param where the path in the object, for messages
   * @throws RefusedException with the first entry that is not a quantity, or names no resource of
   *     nodes
   */
  private static ResourceAmounts amounts(Map<String, Quantity> given, String where) {
    Map<String, Long> amounts = new HashMap<>();
    for (Map.Entry<String, ExactQuantity> each : Quantities.read(given, where).entrySet()) {
      String resource = each.getKey();
      if (!Amounts.isCounted(resource)) {
        throw new RefusedException(
            "%s.%s is no resource of nodes: write cpu, memory, ephemeral-storage, pods, or the full name of an extended resource such as nvidia.com/gpu"
                .formatted(where, resource));
      }
      amounts.put(resource, Amounts.rounded(resource, each.getValue()));
    }
    return ResourceAmounts.of(amounts);
  }
}
