package io.berth.webhook.admission;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The names that the API server did not know a moment ago. A binding with such a name affects every
 * pod of its namespaces, and a pod that is denied because of one is created again and again, so
 * each is looked up once per second only. Thread-safe.
 */
final class AbsentNames {
  /** The time for which a name counts as absent. */
  static final Duration LASTS = Duration.ofSeconds(1);

  /** The maximum number of remembered names; beyond it, all are forgotten. */
  static final int MOST = 4096;

  private final InstantSource clock;
  private final Map<String, Instant> until = new ConcurrentHashMap<>();

  AbsentNames(InstantSource clock) {
    this.clock = clock;
  }

  /** Returns the result of a look-up; empty without one if the name was absent a moment ago. */
  <T> Optional<T> unless(String name, Supplier<Optional<T>> lookup) {
    Instant now = clock.instant();
    Instant absent = until.get(name);
    if (absent != null && now.isBefore(absent)) {
      return Optional.empty();
    }
    Optional<T> found = lookup.get();
    if (found.isEmpty()) {
      if (until.size() >= MOST) {
        until.clear();
      }
      until.put(name, now.plus(LASTS));
    }
    return found;
  }
}
