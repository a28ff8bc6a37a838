package io.berth.demo.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.SchedulingQueue;
import io.berth.crds.SchedulingQueueSpec;
import io.berth.demo.tenants.KubeObjects;
import io.berth.demo.tenants.ObjectKey;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.model.ResourceAmounts;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The limits of the tenants' queues, which no Binding may exceed. A leader may act on an outdated
 * view for a while, so nothing is judged soon after a change of queues.
 */
final class QueueLimits {
  /** More than the longest stall of a watch, and the time for which a Binding is tried again. */
  private static final Duration STALENESS = Duration.ofSeconds(60);

  private final VirtualTime time;
  private final ApiStore store;
  private final Consumer<String> onViolation;
  private final KubernetesSerialization serialization = new KubernetesSerialization();
  private final KubeEvents events = new KubeEvents();
  private final Map<String, ResourceAmounts> requests = new HashMap<>();
  private final Set<String> bound = new HashSet<>();
  private final Map<ObjectKey, Long> generations = new HashMap<>();
  private long lastChange;
  private long judged;

  QueueLimits(VirtualTime time, ApiStore store, Consumer<String> onViolation) {
    this.time = time;
    this.store = store;
    this.onViolation = onViolation;
    store.listen(this::changed);
  }

  /** Returns the number of Bindings that were compared with a limit. */
  long judged() {
    return judged;
  }

  /** Returns whether a queue was created, deleted, or given another spec. */
  private boolean isNotOfStatus(ApiStore.Change change) {
    long generation = change.object().at("/metadata/generation").asLong();
    Long before =
        change.deleted()
            ? generations.remove(change.key())
            : generations.put(change.key(), generation);
    return change.deleted() || before == null || before != generation;
  }

  private void changed(ApiStore.Change change) {
    if (change.key().kind().equals("SchedulingQueue") && isNotOfStatus(change)) {
      lastChange = time.nanoTime();
    }
    if (!change.key().kind().equals("Pod")) {
      return;
    }
    String uid = change.object().at("/metadata/uid").asText();
    if (change.deleted()) {
      bound.remove(uid);
      requests.remove(uid);
    } else if (!KubeObjects.nodeOf(change.object()).isEmpty()
        && bound.add(uid)
        && time.nanoTime() - lastChange > STALENESS.toNanos()) {
      judge(change.key(), requestsOf(change.object()));
    }
  }

  private void judge(ObjectKey pod, ResourceAmounts asked) {
    Map<String, SchedulingQueueSpec> queues = queues();
    for (String queue = leafOf(pod.namespace(), queues);
        queue != null;
        queue = parentOf(queue, queues)) {
      SchedulingQueueSpec spec = queues.get(queue);
      if (spec != null && spec.limit().containsKey(ResourceAmounts.CPU)) {
        judge(pod, asked, queue, spec, queues);
      }
    }
  }

  private void judge(
      ObjectKey pod,
      ResourceAmounts asked,
      String queue,
      SchedulingQueueSpec spec,
      Map<String, SchedulingQueueSpec> queues) {
    long limit =
        1000 * Long.parseLong(spec.limit().get(ResourceAmounts.CPU).getAmount()); // whole cores
    if (asked.amountOf(ResourceAmounts.CPU) == 0) {
      return;
    }
    judged++;
    long used =
        store.all("Pod").stream()
            .filter(other -> !KubeObjects.nodeOf(other).isEmpty())
            .filter(other -> !KubeObjects.isFinished(other))
            .filter(other -> isIn(queue, ObjectKey.of(other).namespace(), queues))
            .mapToLong(other -> requestsOf(other).amountOf(ResourceAmounts.CPU))
            .sum();
    if (used > limit) {
      onViolation.accept(
          "with pod %s/%s, queue %s uses %dm CPU, more than its limit of %dm"
              .formatted(pod.namespace(), pod.name(), queue, used, limit));
    }
  }

  private Map<String, SchedulingQueueSpec> queues() {
    Map<String, SchedulingQueueSpec> queues = new TreeMap<>();
    for (ObjectNode object : store.all("SchedulingQueue")) {
      SchedulingQueue queue = serialization.convertValue(object, SchedulingQueue.class);
      queues.put(queue.getMetadata().getName(), queue.getSpec());
    }
    return queues;
  }

  private static @Nullable String leafOf(
      String namespace, Map<String, SchedulingQueueSpec> queues) {
    return queues.entrySet().stream()
        .filter(
            queue ->
                Optional.ofNullable(queue.getValue().namespaces())
                    .filter(admitted -> admitted.names().contains(namespace))
                    .isPresent())
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(null);
  }

  private static boolean isIn(
      String queue, String namespace, Map<String, SchedulingQueueSpec> queues) {
    for (String at = leafOf(namespace, queues); at != null; at = parentOf(at, queues)) {
      if (at.equals(queue)) {
        return true;
      }
    }
    return false;
  }

  private static @Nullable String parentOf(String queue, Map<String, SchedulingQueueSpec> queues) {
    SchedulingQueueSpec spec = queues.get(queue);
    return spec == null ? null : spec.parent();
  }

  private ResourceAmounts requestsOf(ObjectNode pod) {
    return requests.computeIfAbsent(
        pod.at("/metadata/uid").asText(),
        uid ->
            events.upserted(serialization.convertValue(pod, Pod.class))
                    instanceof ClusterEvent.PodUpserted upserted
                ? upserted.pod().spec().requests().held()
                : ResourceAmounts.none());
  }
}
