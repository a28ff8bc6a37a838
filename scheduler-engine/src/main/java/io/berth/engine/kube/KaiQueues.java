package io.berth.engine.kube;

import io.berth.crds.schema.DurationText;
import io.berth.engine.model.PodCards;
import io.berth.engine.model.QueueModel;
import io.berth.engine.model.ResourceAmounts;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/** Reads Queues of {@code scheduling.run.ai/v2}. */
final class KaiQueues {
  private static final int DEFAULT_PRIORITY = 100;

  /**
   * A resource of KAI.
   *
   * @param field its field in {@code spec.resources}
   * @param scale the units of Berth's resource in one unit of KAI's
   */
  private record Resource(String field, String name, long scale) {}

  /** CPU is in thousandths, memory in megabytes. */
  private static final Resource[] RESOURCES = {
    new Resource("cpu", ResourceAmounts.CPU, 1),
    new Resource("memory", ResourceAmounts.MEMORY, 1_000_000),
    new Resource("gpu", PodCards.COUNTED_GPU, 1)
  };

  private KaiQueues() {}

  static void read(QueueFields queue) {
    Map<?, ?> spec = queue.spec();
    Map<String, Long> quotas = new HashMap<>();
    Map<String, Long> limits = new HashMap<>();
    TreeSet<Double> weights = new TreeSet<>();
    for (Resource resource : RESOURCES) {
      Map<?, ?> given = JsonMaps.mapIn(JsonMaps.mapIn(spec, "resources"), resource.field());
      String where = "spec.resources." + resource.field();
      double quota = QueueFields.number(given.get("quota"), where + ".quota", 0);
      double limit = QueueFields.number(given.get("limit"), where + ".limit", 0);
      quotas.put(
          resource.name(),
          isUnlimited(quota)
              ? QueueModel.EVERYTHING
              : units(queue, resource, quota, where + ".quota"));
      if (!isUnlimited(limit)) {
        limits.put(resource.name(), units(queue, resource, limit, where + ".limit"));
      }
      if (given.get("overQuotaWeight") != null) {
        weights.add(
            QueueFields.number(given.get("overQuotaWeight"), where + ".overQuotaWeight", 0));
      }
    }
    queue.guarantee = ResourceAmounts.of(quotas);
    queue.limit = ResourceAmounts.of(limits);
    readWeight(queue, weights);
    queue.priority =
        (long) QueueFields.number(spec.get("priority"), "spec.priority", DEFAULT_PRIORITY);
    queue.partOf(QueueFields.text(spec.get("parentQueue")));
    queue.minRunTime = duration(QueueFields.text(spec.get("reclaimMinRuntime")));
    if (spec.get("preemptMinRuntime") != null) {
      queue.notKept(
          "spec.preemptMinRuntime",
          "within a queue, the minRunTime of the SchedulingPolicy counts");
    }
  }

  private static boolean isUnlimited(double amount) {
    return amount == -1;
  }

  private static long units(QueueFields queue, Resource resource, double amount, String where) {
    if (amount < 0) {
      throw new RefusedException(
          "%s is %s: must be at least 0, or -1 for unlimited".formatted(where, amount));
    }
    if (resource.scale() == 1 && amount != Math.rint(amount)) {
      queue.notKept(where + " " + amount, "it counts as " + (long) amount);
    }
    return QueueFields.bounded((long) (amount * resource.scale()));
  }

  /** Sets the weight: the largest of the resources, as a whole number of at least 1. */
  private static void readWeight(QueueFields queue, NavigableSet<Double> weights) {
    double largest = weights.isEmpty() ? 1 : weights.last();
    queue.weight = Math.max(1, Math.round(largest));
    if (weights.size() > 1 || (!weights.isEmpty() && queue.weight != largest)) {
      queue.notKept(
          "spec.resources overQuotaWeight by resource",
          "%d counts for all resources".formatted(queue.weight));
    }
  }

  private static Duration duration(String text) {
    return text.isEmpty()
        ? Duration.ZERO
        : DurationText.read(text)
            .orElseThrow(
                () ->
                    new RefusedException(
                        "spec.reclaimMinRuntime is \"%s\": must be a duration such as 10m"
                            .formatted(text)));
  }
}
