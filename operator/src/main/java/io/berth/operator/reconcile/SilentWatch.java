package io.berth.operator.reconcile;

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
  /**
   * The maximum delay between the feed and the reconciler for a generation; it doubles with each
   * restart.
   */
  static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final Duration LONGEST_PATIENCE = Duration.ofMinutes(30);

  private final Clock clock;
  private final Map<String, Instant> missedSince = new HashMap<>();
  private Duration patience = PATIENCE;

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
      patience = PATIENCE;
      return Optional.empty();
    }
    Optional<HasMetadata> overdue =
        behind.values().stream()
            .filter(object -> isOverdue(object.getMetadata().getUid(), now))
            .findFirst();
    if (overdue.isPresent()) {
      missedSince.clear();
      Duration doubled = patience.multipliedBy(2);
      patience = doubled.compareTo(LONGEST_PATIENCE) < 0 ? doubled : LONGEST_PATIENCE;
    }
    return overdue;
  }

  private boolean isOverdue(String uid, Instant now) {
    Instant since = missedSince.getOrDefault(uid, now);
    return Duration.between(since, now).compareTo(patience) >= 0;
  }
}
