package io.berth.operator.schedule;

import io.berth.engine.ClusterEvent;
import io.berth.engine.ClusterEvent.Malformed;
import io.berth.engine.ClusterEvent.UnreadablePod;
import io.berth.engine.PodRef;
import io.berth.engine.Refusal;
import io.berth.engine.model.PodModel;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Objects on which the engine failed. Each is withheld from the engine until it changes, and at
 * least for a delay that doubles with each failure. A pod that is bound to a node is passed to the
 * engine as an unparsable pod, so that its node receives no further pods.
 *
 * <p>Confined to the engine's thread.
 */
final class LeftOut {
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

  /** An object on which the engine failed, and its latest state. */
  private static final class Entry {
    /**
     * The state on which the engine failed; null if it is unknown until the object's next event.
     */
    @Nullable ClusterEvent failed;

    @Nullable ClusterEvent latest;
    int failures;
    Instant notBefore = Instant.MIN;

    void failedOn(@Nullable ClusterEvent event, Instant now) {
      failed = event;
      latest = event;
      notBefore = now.plus(pause(failures));
      failures++;
    }

    void heardOf(ClusterEvent event) {
      latest = event;
      if (failed == null) {
        failed = event;
      }
    }

    boolean isDue(Instant now) {
      return latest != null && !latest.equals(failed) && !now.isBefore(notBefore);
    }
  }

  private final Map<Object, Entry> entries = new HashMap<>();

  /** The identity of the object that an event is about. */
  private record Id(String kind, String namespace, String name) {}

  /**
   * Withholds the object of an event on which the engine failed.
   *
   * @return the report about the object; empty if the event is not about an object and cannot be
   *     withheld
   */
  Optional<Refusal> add(ClusterEvent event, Throwable failure, Instant now) {
    Id id = idOf(event);
    if (id == null) {
      return Optional.empty();
    }
    if (isRemoval(event)) {
      entries.remove(id);
    } else {
      entries.computeIfAbsent(id, absent -> new Entry()).failedOn(event, now);
    }
    return Optional.of(report(id, failure));
  }

  /** Withholds a pod that the engine failed to place. */
  Refusal add(PodRef pod, Throwable failure, Instant now) {
    Id id = new Id("Pod", pod.namespace(), pod.name());
    entries.computeIfAbsent(id, absent -> new Entry()).failedOn(null, now);
    return report(id, failure);
  }

  private static Refusal report(Id id, Throwable failure) {
    return new Refusal(
        id.kind(),
        id.namespace().isEmpty() ? id.name() : id.namespace() + "/" + id.name(),
        "the engine failed on it, so it is excluded until it changes: " + failure);
  }

  private static Duration pause(int failures) {
    Duration pause = PAUSE;
    for (int i = 0; i < failures && pause.compareTo(LONGEST_PAUSE) < 0; i++) {
      pause = pause.multipliedBy(2);
    }
    return pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
  }

  /** Returns the event to pass to the engine instead; empty for none. */
  Optional<ClusterEvent> instead(ClusterEvent event, Instant now) {
    if (entries.isEmpty()) {
      return Optional.of(event);
    }
    Id id = idOf(event);
    Entry entry = id == null ? null : entries.get(id);
    if (entry == null || id == null) {
      return Optional.of(event);
    }
    if (isRemoval(event)) {
      entries.remove(id);
      return Optional.of(event);
    }
    entry.heardOf(event);
    if (entry.isDue(now)) {
      return Optional.of(event);
    }
    return standIn(event);
  }

  /** Returns the latest events of objects that have changed and whose delay is over. */
  List<ClusterEvent> due(Instant now) {
    if (entries.isEmpty()) {
      return List.of();
    }
    List<ClusterEvent> due = new ArrayList<>();
    for (Entry entry : entries.values()) {
      if (entry.isDue(now) && entry.latest != null) {
        due.add(entry.latest);
      }
    }
    return due;
  }

  /** Records that the engine has processed the event, so that its object is no longer withheld. */
  void took(ClusterEvent event) {
    Id id = entries.isEmpty() ? null : idOf(event);
    if (id != null) {
      entries.remove(id);
    }
  }

  private static Optional<ClusterEvent> standIn(ClusterEvent event) {
    if (event instanceof ClusterEvent.PodUpserted upserted
        && !upserted.pod().nodeName().isEmpty()
        && !upserted.pod().finished()) {
      PodModel pod = upserted.pod();
      return Optional.of(
          new Malformed(
              new Refusal(
                  "Pod",
                  pod.ref().namespace() + "/" + pod.ref().name(),
                  "the engine failed on it, so its node takes no more pods until it changes"),
              Optional.of(new UnreadablePod(pod.ref(), pod.schedulerName(), pod.nodeName()))));
    }
    return Optional.empty();
  }

  private static boolean isRemoval(ClusterEvent event) {
    return switch (event) {
      case ClusterEvent.PodRemoved removed -> true;
      case ClusterEvent.NodeRemoved removed -> true;
      case ClusterEvent.NamespaceRemoved removed -> true;
      case ClusterEvent.PodGroupRemoved removed -> true;
      case ClusterEvent.BudgetRemoved removed -> true;
      case ClusterEvent.StorageRemoved removed -> true;
      case ClusterEvent.PolicyRemoved removed -> true;
      default -> false;
    };
  }

  private static @Nullable Id idOf(ClusterEvent event) {
    return switch (event) {
      case ClusterEvent.PodUpserted e ->
          new Id("Pod", e.pod().ref().namespace(), e.pod().ref().name());
      case ClusterEvent.PodRemoved e -> new Id("Pod", e.pod().namespace(), e.pod().name());
      case ClusterEvent.NodeUpserted e -> new Id("Node", "", e.node().name());
      case ClusterEvent.NodeRemoved e -> new Id("Node", "", e.name());
      case ClusterEvent.NamespaceUpserted e -> new Id("Namespace", "", e.name());
      case ClusterEvent.NamespaceRemoved e -> new Id("Namespace", "", e.name());
      case ClusterEvent.PodGroupUpserted e ->
          new Id(e.group().kind().toString(), e.group().namespace(), e.group().name());
      case ClusterEvent.PodGroupRemoved e -> new Id(e.kind().toString(), e.namespace(), e.name());
      case ClusterEvent.BudgetUpserted e ->
          new Id("PodDisruptionBudget", e.budget().namespace(), e.budget().name());
      case ClusterEvent.PriorityClassUpserted e ->
          new Id("PriorityClass", "", e.priorityClass().name());
      case ClusterEvent.PriorityClassRemoved e -> new Id("PriorityClass", "", e.name());
      case ClusterEvent.BudgetRemoved e -> new Id("PodDisruptionBudget", e.namespace(), e.name());
      case ClusterEvent.StorageUpserted e ->
          new Id(e.object().kind(), e.object().namespace(), e.object().name());
      case ClusterEvent.StorageRemoved e -> new Id(e.kind(), e.namespace(), e.name());
      case ClusterEvent.PolicyServed e -> new Id("SchedulingPolicy", "", e.policy().name());
      case ClusterEvent.PolicyRemoved e -> new Id("SchedulingPolicy", "", e.name());
      default -> null;
    };
  }
}
