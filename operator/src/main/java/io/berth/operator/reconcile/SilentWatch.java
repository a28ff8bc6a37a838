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
 * Finds the library's watches that died silently. Their connection carries nothing more, and no
 * error says so: the only sign is an object whose latest generation the feed has had for a while,
 * and no reconciler was given. Not thread-safe.
 */
final class SilentWatch {
  /** Between the feed's news of a generation and the reconciler's. Doubles with each restart. */
  static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final Duration LONGEST_PATIENCE = Duration.ofMinutes(30);

  private final Clock clock;
  private final Map<String, Instant> missedSince = new HashMap<>();
  private Duration patience = PATIENCE;

  SilentWatch(Clock clock) {
    this.clock = clock;
  }

  /** The generations that a reconciler was given, by the UID of the object. */
  @FunctionalInterface
  interface Given {
    /** Returns the latest generation; 0 for an object that it was never given. */
    long generation(String uid);
  }

  /**
   * Returns an object that was missed for too long. Afterwards the count begins again, with more
   * patience: the caller is expected to open the watches again.
   *
   * @param fed all objects of the kinds, as the feed has them
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
