package io.berth.operator.reconcile;

import io.berth.rules.retry.DoublingPause;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Detects the library's watches that have died silently, without delivering data or an error: the
 * only symptom is an object whose latest generation the feed has had for a while, but no reconciler
 * has received. Not thread-safe.
 */
final class SilentWatch {
  /** The maximum delays between the feed and the reconciler for a generation. */
  static final DoublingPause PATIENCE =
      new DoublingPause(Duration.ofMinutes(1), Duration.ofMinutes(30));

  private final Clock clock;
  private final Map<String, Instant> missedSince = new HashMap<>();

  /** The number of objects in a row that were missed for too long. */
  private int restarts;

  SilentWatch(Clock clock) {
    this.clock = clock;
  }

  /** The generations that reconcilers have received, by the UID of the object. */
  @FunctionalInterface
  interface Given {
    /** Returns the latest generation that was received; 0 for an unknown object. */
    long generation(String uid);
  }

  /**
   * Returns an object that has been missed for too long, if there is one. Afterwards the detection
   * starts over with a longer limit: the caller is expected to reopen the watches.
   *
   * @param fed all objects of the kinds, from the feed's caches
   * @param given the generations that the reconcilers have received
   */
  Optional<HasMetadata> missed(Collection<? extends HasMetadata> fed, Given given) {
    Instant now = clock.instant();
    Map<String, HasMetadata> behind = new HashMap<>();
    for (HasMetadata object : fed) {
      String uid = object.getMetadata().getUid();
      if (StatusReconciler.generation(object) > given.generation(uid)) {
        behind.put(uid, object);
      }
    }
    missedSince.keySet().retainAll(behind.keySet());
    behind.keySet().forEach(uid -> missedSince.putIfAbsent(uid, now));
    if (behind.isEmpty()) {
      restarts = 0;
      return Optional.empty();
    }
    Optional<HasMetadata> overdue =
        behind.values().stream()
            .filter(object -> isOverdue(object.getMetadata().getUid(), now))
            .findFirst();
    if (overdue.isPresent()) {
      missedSince.clear();
      restarts++;
    }
    return overdue;
  }

  private boolean isOverdue(String uid, Instant now) {
    Instant since = missedSince.getOrDefault(uid, now);
    return Duration.between(since, now).compareTo(PATIENCE.before(restarts + 1)) >= 0;
  }
}
