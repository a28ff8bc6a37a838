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

    /** True if the engine was last passed something else than the latest state, or nothing. */
    boolean withheld;

    /** True if a node is closed because of the pod's placement on it. */
    boolean closesByPlacement;

    int failures;
    Instant notBefore = Instant.EPOCH;

    void failedOn(@Nullable ClusterEvent event, Instant now) {
      failed = event;
      latest = event == null || event instanceof ClusterEvent.PodAssumed ? latest : event;
      admitted = false;
      withheld = true;
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
    Subject subject = podSubject(pod);
    entryOf(subject).failedOn(null, now);
    return report(subject, failure);
  }

  private static Subject podSubject(PodRef pod) {
    return new ClusterEvent.PodRemoved(pod).subject();
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

  /** Returns whether the object of an event is excluded, or was and is tried again. */
  boolean contains(ClusterEvent event) {
    return !entries.isEmpty() && entries.containsKey(event.subject());
  }

  /** Returns the event to pass to the engine instead; empty for none. */
  Optional<ClusterEvent> instead(ClusterEvent event, Instant now) {
    if (entries.isEmpty()) {
      return Optional.of(event);
    }
    if (event instanceof ClusterEvent.BindingFailed failed) {
      return Optional.of(insteadOf(failed));
    }
    Entry entry = event.isResult() ? null : entries.get(event.subject());
    if (entry == null) {
      return Optional.of(event);
    }
    if (event.isRemoval()) {
      entries.remove(event.subject());
      return Optional.of(event);
    }
    if (event instanceof ClusterEvent.PodAssumed assumed) {
      return Optional.of(insteadOf(assumed, entry));
    }
    entry.latest = event;
    entry.withheld = !entry.admitted && !entry.isDue(now);
    entry.closesByPlacement &= entry.withheld && isPending(event);
    return entry.withheld ? standIn(event) : Optional.of(event);
  }

  /** A placement is passed on if the pod itself was. */
  private static ClusterEvent insteadOf(ClusterEvent.PodAssumed assumed, Entry entry) {
    entry.closesByPlacement = entry.withheld;
    return entry.withheld ? unreadable(assumed.pod(), "", assumed.nodeName()) : assumed;
  }

  /**
   * The engine does not know the excluded pod, only that it closes a node. It may be tried again
   * after its pause, because it is not placed any more.
   */
  private ClusterEvent insteadOf(ClusterEvent.BindingFailed event) {
    Entry entry = entries.get(podSubject(event.pod()));
    if (entry == null || !entry.closesByPlacement) {
      return event;
    }
    entry.closesByPlacement = false;
    entry.failed = null;
    return new ClusterEvent.PodRemoved(event.pod());
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
    if (entry == null || event instanceof ClusterEvent.PodAssumed) {
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
