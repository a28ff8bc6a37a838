package io.berth.operator.owner;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A least-recently-used cache of objects by the reference to them. An object that did not exist is
 * cached only briefly, because a reference may precede its object. Thread-safe.
 */
final class RememberedLinks {

  private static final int MOST = 50_000;
  private static final Duration ABSENCE_LASTS = Duration.ofSeconds(10);

  // Guarded by this.
  private final Map<String, Remembered> links =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Remembered> eldest) {
          return size() > MOST;
        }
      };

  private record Remembered(Link link, boolean exists, long since) {}

  synchronized void put(String reference, Link link, boolean exists) {
    links.put(reference, new Remembered(link, exists, System.nanoTime()));
  }

  synchronized Optional<Link> find(String reference) {
    @Nullable Remembered known = links.get(reference);
    return known == null
            || (!known.exists() && System.nanoTime() - known.since() > ABSENCE_LASTS.toNanos())
        ? Optional.empty()
        : Optional.of(known.link());
  }
}
