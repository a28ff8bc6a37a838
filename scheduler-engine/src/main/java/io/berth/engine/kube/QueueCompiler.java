package io.berth.engine.kube;

import io.berth.crds.SchedulingQueue;
import io.berth.crds.SchedulingQueueSpec;
import io.berth.crds.SchedulingQueueStatus;
import io.berth.crds.queue.QueueNamespaces;
import io.berth.crds.queue.SharePercent;
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
  private static final Duration SHORTEST_HALF_LIFE = Duration.ofMinutes(10);

  private QueueCompiler() {}

  /**
   * Returns the queue. Its past share is the one in the status, which a leader has written.
   *
   * @throws RefusedException with the first field that cannot be parsed
   */
  static QueueModel compile(String name, SchedulingQueue object) {
    SchedulingQueueSpec given = object.getSpec();
    if (given == null) {
      throw new RefusedException("the queue has no spec");
    }
    String minRunTime = given.minRunTime();
    String halfLife = given.usageHalfLife();
    if (halfLife != null && duration(halfLife, "usageHalfLife").compareTo(SHORTEST_HALF_LIFE) < 0) {
      throw new RefusedException(
          "spec.usageHalfLife is \"%s\": write at least 10m".formatted(halfLife));
    }
    QueueNamespaces namespaces = given.namespaces();
    return new QueueModel(
            name,
            given.parent() == null ? "" : given.parent(),
            amounts(given.guarantee(), "spec.guarantee"),
            amounts(given.limit(), "spec.limit"),
            Math.max(1, given.weight()),
            given.priority(),
            minRunTime == null ? Duration.ZERO : duration(minRunTime, "minRunTime"),
            namespaces == null ? Set.of() : Set.copyOf(namespaces.names()),
            namespaces == null
                ? LabelSelector.nothing()
                : Selectors.labelSelector(namespaces.selector(), "spec.namespaces.selector"))
        .withPastShare(halfLife == null ? 0 : pastShare(object.getStatus()))
        .withScaleUp(given.borrowing().scaleUp());
  }

  private static double pastShare(@Nullable SchedulingQueueStatus status) {
    return status == null ? 0 : SharePercent.read(status.pastShare()).orElse(0);
  }

  private static Duration duration(String text, String field) {
    return DurationText.read(text)
        .orElseThrow(
            () ->
                new RefusedException(
                    "spec.%s is \"%s\": write a duration such as 10m".formatted(field, text)));
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
