package io.berth.operator.feed;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Refusal;
import io.berth.engine.decision.BoundedText;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.model.QueueDialect;
import io.berth.operator.api.LimitedLog;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The queue objects of another project. What Berth does not keep of an object is logged once,
 * because its status belongs to others. What the limit of the log keeps back is summed up later.
 */
final class OtherQueues {
  private final QueueDialect dialect;
  private final KubeEvents events;
  private final LimitedLog limited;
  private final Consumer<String> log;

  /** The last report about each queue. */
  private final Map<String, String> reported = new HashMap<>();

  /** The reports that the limit of the log has kept back, by the names of the queues. */
  private final Map<String, Refusal> unsaid = new LinkedHashMap<>();

  /** Runs a task after the limit of the log has ended. */
  private final Consumer<Runnable> later;

  private boolean isPlanned;

  OtherQueues(
      QueueDialect dialect,
      KubeEvents events,
      LimitedLog limited,
      Consumer<String> log,
      Consumer<Runnable> later) {
    this.later = later;
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
      forget(queue.queue().name());
      return event;
    }
    report(partly.get());
    // The queue is in effect, so it does not count as refused.
    return new ClusterEvent.QueueUpserted(queue.queue());
  }

  private synchronized void report(Refusal partly) {
    String before = reported.put(partly.name(), partly.reason());
    if (partly.reason().equals(before)) {
      return;
    }
    unsaid.remove(partly.name());
    if (!isSaid(partly, "")) {
      unsaid.put(partly.name(), partly);
      plan();
    }
  }

  private boolean isSaid(Refusal partly, String more) {
    Optional<String> line =
        limited.line(
            partly.kind(),
            "%s %s is in effect, but %s%s"
                .formatted(partly.kind(), partly.name(), partly.reason(), more));
    line.ifPresent(log);
    return line.isPresent();
  }

  private void plan() {
    if (!isPlanned) {
      isPlanned = true;
      later.accept(this::sumUp);
    }
  }

  /** Logs in one line what the limit has kept back. */
  private synchronized void sumUp() {
    isPlanned = false;
    if (unsaid.isEmpty()) {
      return;
    }
    List<Refusal> all = List.copyOf(unsaid.values());
    List<String> others = all.stream().skip(1).map(Refusal::name).toList();
    String more =
        others.isEmpty()
            ? ""
            : ". There are %d more queues of which Berth does not keep all fields: %s"
                .formatted(others.size(), BoundedText.list(others));
    if (isSaid(all.getFirst(), more)) {
      unsaid.clear();
    } else {
      plan();
    }
  }

  private synchronized void forget(String name) {
    reported.remove(name);
    unsaid.remove(name);
  }

  private ClusterEvent removed(GenericKubernetesResource object) {
    ClusterEvent event = events.queueRemoved(dialect, object);
    if (event instanceof ClusterEvent.QueueRemoved queue) {
      forget(queue.name());
    }
    return event;
  }
}
