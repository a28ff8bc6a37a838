package io.berth.operator.schedule;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.ClusterEvent.Malformed;
import io.berth.engine.api.ClusterEvent.Subject;
import io.berth.engine.api.ClusterEvent.UnreadablePod;
import io.berth.engine.api.Refusal;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.rules.retry.DoublingPause;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The objects on which the engine failed. Each is withheld from the engine until it changes, and at
 * least for a pause that doubles with each failure. A pod that is on a node, or on its way to one,
 * is passed to the engine as an unparsable pod, so that its node receives no further pods.
 *
 * <p>A pod that the engine failed to place may have failed because of other objects, so it is tried
 * again after its pause even if it has not changed.
 *
 * <p>Confined to the engine's thread.
 */
final class ExcludedObjects {
  private static final DoublingPause PAUSE =
      new DoublingPause(Duration.ofSeconds(1), Duration.ofMinutes(5));

  /** An object on which the engine failed, and its latest state. */
  private static final class Entry {
    /** The state on which the engine failed; null if any state may be tried again. */
    @Nullable ClusterEvent failed;

    /** Null until the object's next event. */
    @Nullable ClusterEvent latest;

    /** True while a pod that could not be placed is tried again. */
    boolean admitted;

    int failures;
    Instant notBefore = Instant.EPOCH;

    void failedOn(@Nullable ClusterEvent event, Instant now) {
      failed = event;
      latest = event == null ? latest : event;
      admitted = false;
      failures++;
      notBefore = now.plus(PAUSE.before(failures));
    }

    boolean isDue(Instant now) {
      return !admitted && latest != null && !latest.equals(failed) && !now.isBefore(notBefore);
    }
  }

  private final Map<Subject, Entry> entries = new HashMap<>();

  /**
   * Excludes the object of an event on which the engine failed. An engine that replaces the failed
   * one is not sent results of decisions, so nothing is excluded for them.
   *
   * @return the report about the object
   */
  Refusal add(ClusterEvent event, Throwable failure, Instant now) {
    if (event.isRemoval()) {
      entries.remove(event.subject());
    } else if (!event.isResult()) {
      entryOf(event.subject()).failedOn(event, now);
    }
    return report(event.subject(), failure);
  }

  /** Excludes a pod that could not be placed. */
  Refusal add(PodRef pod, Throwable failure, Instant now) {
    Subject subject = new Subject("Pod", pod.namespace(), pod.name());
    entryOf(subject).failedOn(null, now);
    return report(subject, failure);
  }

  private Entry entryOf(Subject subject) {
    return entries.computeIfAbsent(subject, absent -> new Entry());
  }

  private static Refusal report(Subject subject, Throwable failure) {
    return new Refusal(
        subject.kind(),
        subject.fullName(),
        "the engine failed on it, so it is excluded for a while: " + failure);
  }

  /** Returns the event to pass to the engine instead; empty for none. */
  Optional<ClusterEvent> instead(ClusterEvent event, Instant now) {
    if (entries.isEmpty() || event.isResult()) {
      return Optional.of(event);
    }
    Entry entry = entries.get(event.subject());
    if (entry == null) {
      return Optional.of(event);
    }
    if (event.isRemoval()) {
      entries.remove(event.subject());
      return Optional.of(event);
    }
    entry.latest = event;
    return entry.admitted || entry.isDue(now) ? Optional.of(event) : standIn(event);
  }

  /** Returns the latest events of the objects that may be passed to the engine again. */
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

  /**
   * Records that the engine has processed the event: its object is no longer excluded. The failures
   * of a pod that could not be placed are counted on until it is on a node.
   */
  void taken(ClusterEvent event) {
    Entry entry = entries.isEmpty() || event.isResult() ? null : entries.get(event.subject());
    if (entry == null) {
      return;
    }
    if (entry.failed == null && isPending(event)) {
      entry.admitted = true;
    } else {
      entries.remove(event.subject());
    }
  }

  private static boolean isPending(ClusterEvent event) {
    return event instanceof ClusterEvent.PodUpserted(PodModel pod, _)
        && pod.nodeName().isEmpty()
        && !pod.finished();
  }

  private static Optional<ClusterEvent> standIn(ClusterEvent event) {
    if (event instanceof ClusterEvent.PodAssumed assumed) {
      return Optional.of(unreadable(assumed.pod(), "", assumed.nodeName()));
    }
    if (event instanceof ClusterEvent.PodUpserted(PodModel pod, _)
        && !pod.nodeName().isEmpty()
        && !pod.finished()) {
      return Optional.of(unreadable(pod.ref(), pod.schedulerName(), pod.nodeName()));
    }
    return Optional.empty();
  }

  private static ClusterEvent unreadable(PodRef pod, String schedulerName, String nodeName) {
    return new Malformed(
        new Refusal(
            "Pod",
            pod.namespace() + "/" + pod.name(),
            "the engine failed on it, so its node takes no more pods until it changes"),
        Optional.of(new UnreadablePod(pod, schedulerName, nodeName)));
  }
}
