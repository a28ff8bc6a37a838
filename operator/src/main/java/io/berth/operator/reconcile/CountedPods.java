package io.berth.operator.reconcile;

import io.berth.operator.feed.ClusterFeed;
import io.berth.webhook.binding.ConfigCatalog;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The latest {@link PodCounts}, shared by all reconcilers. They are recomputed on demand once pods
 * or configuration have changed; for changes of pods at most once a second, and less often if
 * counting takes long.
 */
final class CountedPods {

  private static final Duration KEPT = Duration.ofSeconds(1);

  /** Counting may take one part in this many of the time. */
  private static final int SHARE = 20;

  private final ClusterFeed feed;
  private final Supplier<ConfigCatalog> catalog;
  private final Set<String> schedulerNames;
  private final Clock clock;

  // Guarded by this.
  private @Nullable PodCounts counts;
  private @Nullable ConfigCatalog countedWith;
  private long countedChanges;
  private Instant keptUntil = Instant.MIN;

  CountedPods(
      ClusterFeed feed, Supplier<ConfigCatalog> catalog, Set<String> schedulerNames, Clock clock) {
    this.feed = feed;
    this.catalog = catalog;
    this.schedulerNames = schedulerNames;
    this.clock = clock;
  }

  synchronized PodCounts get() {
    Instant now = clock.instant();
    ConfigCatalog current = catalog.get();
    PodCounts known = counts;
    long changes = feed.podChanges();
    boolean fresh =
        current.equals(countedWith) && (changes == countedChanges || now.isBefore(keptUntil));
    if (known == null || !fresh) {
      known = PodCounts.of(current, feed.pods().toList(), schedulerNames);
      counts = known;
      countedWith = current;
      countedChanges = changes;
      Duration paid = Duration.between(now, clock.instant()).multipliedBy(SHARE);
      keptUntil = now.plus(paid.compareTo(KEPT) > 0 ? paid : KEPT);
    }
    return known;
  }
}
