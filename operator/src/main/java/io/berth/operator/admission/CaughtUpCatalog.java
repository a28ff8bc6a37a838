package io.berth.operator.admission;

import io.berth.operator.record.BerthMetrics;
import io.berth.operator.record.Metric;
import io.berth.webhook.admission.CatalogSource;
import io.berth.webhook.binding.CatalogPart;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.binding.ListedState;
import io.berth.webhook.binding.LiveCatalog;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A live catalog that is consistent as of the review: {@code kubectl apply -f} creates a binding
 * and its pods together, and the watch may lag behind. Concurrent reviews share one list of the
 * current objects. If the catalog does not contain all of them yet, the reviews wait until it does,
 * for at most {@link #PATIENCE} in total.
 */
final class CaughtUpCatalog implements CatalogSource {

  /** The time limit of a review's wait; after that the review uses the catalog as it is. */
  static final Duration PATIENCE = Duration.ofMillis(300);

  /**
   * The minimum time between the starts of two lists, and so what a review may wait under load for
   * the next one to start.
   */
  static final Duration APART = Duration.ofMillis(10);

  /** The maximum number of concurrent lists: see docs/decisions/consistent-reviews.md. */
  static final int READINGS_AT_ONCE = 3;

  private static final Logger LOG = LoggerFactory.getLogger(CaughtUpCatalog.class);
  private static final long LOG_EVERY_NANOS = Duration.ofMinutes(1).toNanos();

  private final LiveCatalog catalog;
  private final SharedReading<Topic, List<ListedState>> readings;
  private final BerthMetrics metrics;
  private final AtomicLong mayLog = new AtomicLong(System.nanoTime());

  /**
   * @param read lists the current objects of these topics
   */
  CaughtUpCatalog(
      LiveCatalog catalog,
      Function<Set<Topic>, CompletableFuture<List<ListedState>>> read,
      BerthMetrics metrics) {
    this.catalog = catalog;
    this.readings = new SharedReading<>(read, APART, READINGS_AT_ONCE);
    this.metrics = metrics;
  }

  /**
   * Lists the parts that decide the review according to the catalog, and repeats while the updated
   * catalog makes further parts relevant; if nothing has changed, one list is enough.
   */
  @Override
  public UpToDateCatalog asOfNow(
      String namespace, Function<ConfigCatalog, Set<CatalogPart>> deciding) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    Set<CatalogPart> read = EnumSet.noneOf(CatalogPart.class);
    boolean waited = false;
    String doubt;
    try {
      while (true) {
        ConfigCatalog now = catalog.get();
        Set<Topic> unread =
            deciding.apply(now).stream()
                .filter(read::add)
                .map(part -> Topic.of(part, namespace))
                .collect(Collectors.toSet());
        if (unread.isEmpty()) {
          count(waited ? "awaited" : "current");
          return new UpToDateCatalog(now, Optional.empty());
        }
        List<ListedState> there =
            readings.fromNow(unread).get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (!catalog.awaitAll(there, Duration.ZERO)) {
          waited = true;
          if (!catalog.awaitAll(there, Duration.ofNanos(end - System.nanoTime()))) {
            doubt = "the watch is behind";
            break;
          }
        }
      }
    } catch (TimeoutException e) {
      doubt = "the API server did not answer in time";
    } catch (ExecutionException e) {
      doubt = String.valueOf(e.getCause().getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      doubt = "Berth is shutting down";
    }
    log(doubt);
    count("behind");
    return new UpToDateCatalog(catalog.get(), Optional.of(doubt));
  }

  private void count(String result) {
    metrics.count(Metric.WEBHOOK_CATALOG_CHECKS, result);
  }

  private void log(String doubt) {
    long now = System.nanoTime();
    long from = mayLog.get();
    if (now - from >= 0 && mayLog.compareAndSet(from, now + LOG_EVERY_NANOS)) {
      LOG.warn(
          "A pod was reviewed with configuration that may be out of date: {}; the metric"
              + " berth_webhook_catalog_checks_total counts such reviews. This is logged at most"
              + " once a minute",
          doubt);
    }
  }
}
