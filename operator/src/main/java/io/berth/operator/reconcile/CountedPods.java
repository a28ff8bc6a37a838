package io.berth.operator.reconcile;

import io.berth.operator.feed.ClusterFeed;
import io.berth.webhook.binding.ConfigCatalog;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The newest {@link PodCounts}, shared by all reconcilers: counted again when asked for after a few
 * seconds.
 */
final class CountedPods {

  private static final Duration KEPT = Duration.ofSeconds(3);

  private final ClusterFeed feed;
  private final Supplier<ConfigCatalog> catalog;
  private final String schedulerName;
  private final Clock clock;

  // Guarded by this.
  private @Nullable PodCounts counts;
  private @Nullable ConfigCatalog countedWith;
  private Instant countedAt = Instant.MIN;

  CountedPods(
      ClusterFeed feed, Supplier<ConfigCatalog> catalog, String schedulerName, Clock clock) {
    this.feed = feed;
    this.catalog = catalog;
    this.schedulerName = schedulerName;
    this.clock = clock;
  }

  synchronized PodCounts get() {
    Instant now = clock.instant();
    ConfigCatalog current = catalog.get();
    PodCounts known = counts;
    boolean fresh =
        known != null && countedAt.plus(KEPT).isAfter(now) && current.equals(countedWith);
    if (known == null || !fresh) {
      known = PodCounts.of(current, feed.pods().toList(), schedulerName);
      counts = known;
      countedWith = current;
      countedAt = now;
    }
    return known;
  }
}
