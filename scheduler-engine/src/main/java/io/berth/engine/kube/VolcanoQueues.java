package io.berth.engine.kube;

import io.berth.engine.model.ResourceAmounts;
import java.util.Map;

/** Reads Queues of {@code scheduling.volcano.sh/v1beta1}. */
final class VolcanoQueues {
  private static final String ROOT = "root";
  private static final String HIERARCHY = "volcano.sh/hierarchy";

  private VolcanoQueues() {}

  /**
   * @param name the name of the queue
   */
  static void read(String name, QueueFields queue) {
    Map<?, ?> spec = queue.spec();
    ResourceAmounts reserved =
        queue.amounts(
            JsonMaps.mapIn(JsonMaps.mapIn(spec, "guarantee"), "resource"),
            "spec.guarantee.resource");
    // Volcano raises what is deserved to what is guaranteed, too.
    queue.guarantee =
        QueueFields.larger(
            reserved, queue.amounts(JsonMaps.mapIn(spec, "deserved"), "spec.deserved"));
    queue.limit = queue.amounts(JsonMaps.mapIn(spec, "capability"), "spec.capability");
    queue.weight = (long) QueueFields.number(spec.get("weight"), "spec.weight", 1);
    queue.priority = (long) QueueFields.number(spec.get("priority"), "spec.priority", 0);
    queue.reclaimable = !Boolean.FALSE.equals(spec.get("reclaimable"));
    String state = QueueFields.text(queue.status().get("state"));
    queue.open = !state.equals("Closed") && !state.equals("Closing");
    String parent = QueueFields.text(spec.get("parent"));
    queue.partOf(parent.isEmpty() && !name.equals(ROOT) ? ROOT : parent);
    reportOthers(queue, spec, reserved);
  }

  private static void reportOthers(QueueFields queue, Map<?, ?> spec, ResourceAmounts reserved) {
    if (reserved.size() > 0) {
      queue.notKept("spec.guarantee as a reserve", "others borrow it while it is not used");
    }
    if (!JsonMaps.mapIn(spec, "affinity").isEmpty()) {
      queue.notKept("spec.affinity", "the pods may go to all nodes");
    }
    if (spec.get("extendClusters") != null) {
      queue.notKept("spec.extendClusters", "the pods stay in this cluster");
    }
    if ("fifo".equals(spec.get("dequeueStrategy"))) {
      queue.notKept("spec.dequeueStrategy fifo", "pods that fit pass those that wait");
    }
    if (queue.annotations().containsKey(HIERARCHY)) {
      queue.notKept("annotation " + HIERARCHY, "the parent is spec.parent");
    }
  }
}
