package io.berth.operator.feed;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Refusal;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.model.QueueDialect;
import io.berth.operator.api.LimitedLog;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The queue objects of another project. What Berth does not keep of an object is logged once,
 * because its status belongs to others.
 */
final class OtherQueues {
  private final QueueDialect dialect;
  private final KubeEvents events;
  private final LimitedLog limited;
  private final Consumer<String> log;

  /** The last report about each queue. */
  private final Map<String, String> reported = new ConcurrentHashMap<>();

  OtherQueues(QueueDialect dialect, KubeEvents events, LimitedLog limited, Consumer<String> log) {
    this.dialect = dialect;
    this.events = events;
    this.limited = limited;
    this.log = log;
  }

  /** Returns the cache of the objects. */
  KindCache<GenericKubernetesResource, GenericKubernetesResource> cache() {
    return KindCache.<GenericKubernetesResource>ofObjects(this::upserted, this::removed)
        .whenServed(new ClusterEvent.QueueDialectServed(dialect));
  }

  private ClusterEvent upserted(GenericKubernetesResource object) {
    ClusterEvent event = events.queueUpserted(dialect, object);
    if (!(event instanceof ClusterEvent.QueueUpserted queue)) {
      return event;
    }
    Optional<Refusal> partly = queue.partly();
    if (partly.isEmpty()) {
      reported.remove(queue.queue().name());
      return event;
    }
    report(partly.get());
    // The queue is in effect, so it does not count as refused.
    return new ClusterEvent.QueueUpserted(queue.queue());
  }

  private void report(Refusal partly) {
    String before = reported.put(partly.name(), partly.reason());
    if (!partly.reason().equals(before)) {
      limited
          .line(
              partly.kind(),
              "%s %s is in effect, but %s".formatted(partly.kind(), partly.name(), partly.reason()))
          .ifPresent(log);
    }
  }

  private ClusterEvent removed(GenericKubernetesResource object) {
    ClusterEvent event = events.queueRemoved(dialect, object);
    if (event instanceof ClusterEvent.QueueRemoved queue) {
      reported.remove(queue.name());
    }
    return event;
  }
}
