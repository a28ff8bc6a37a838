package io.berth.operator.feed;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks how long a watched resource has been visible to Berth or not, and logs each change once,
 * however many attempts fail in between.
 *
 * <p>A resource that the API server has never served during this process has no objects that Berth
 * could miss: it counts as absent, not as failing.
 */
final class WatchStatus {

  private static final Logger LOG = LoggerFactory.getLogger(WatchStatus.class);

  private final String resource;
  private final boolean vital;
  private final Consumer<WatchFailure> onFailure;
  private final LongSupplier nanoTime;

  // Guarded by this.
  private boolean everSeen;
  private long lastSeen;
  private @Nullable WatchFailure failure;

  /**
   * @param vital whether scheduling decisions depend on the resource
   * @param onFailure called for every failed attempt
   */
  WatchStatus(
      String resource, boolean vital, Consumer<WatchFailure> onFailure, LongSupplier nanoTime) {
    this.resource = resource;
    this.vital = vital;
    this.onFailure = onFailure;
    this.nanoTime = nanoTime;
    this.lastSeen = nanoTime.getAsLong();
  }

  String resource() {
    return resource;
  }

  /** Records a successful response or a watch event. */
  synchronized void seen() {
    long now = nanoTime.getAsLong();
    if (failure != null) {
      LOG.info("Watching {} again after {} s", resource, seconds(now - lastSeen));
      failure = null;
    }
    everSeen = true;
    lastSeen = now;
  }

  /** Records a failed attempt. */
  void lost(WatchFailure lost) {
    onFailure.accept(lost);
    synchronized (this) {
      WatchFailure before = failure;
      failure = lost;
      if (isAbsent()) {
        lastSeen = nanoTime.getAsLong(); // an answer, too: there are no objects
      }
      if (before != null && before.sameProblem(lost)) {
        return;
      }
      if (isAbsent()) {
        LOG.info(
            "The API server does not serve {}: Berth continues without them and checks again"
                + " periodically",
            resource);
      } else {
        LOG.warn(
            "Berth {}. It retries until it succeeds; until then it uses the state of {} s ago",
            lost.text(),
            seconds(nanoTime.getAsLong() - lastSeen));
      }
    }
  }

  /** Returns whether the resource is being watched, or is known not to be served. */
  synchronized boolean isClear() {
    return failure == null ? everSeen : isAbsent();
  }

  /** Returns the failure of the watch and its duration; empty while it works. */
  synchronized Optional<WatchOutage> watchOutage() {
    if (failure == null || isAbsent()) {
      return Optional.empty();
    }
    Duration lasting = Duration.ofNanos(nanoTime.getAsLong() - lastSeen);
    return Optional.of(new WatchOutage(failure, vital, everSeen, lasting));
  }

  private boolean isAbsent() {
    return !everSeen && failure != null && failure.reason().equals(WatchFailure.NOT_FOUND);
  }

  private static long seconds(long nanos) {
    return Duration.ofNanos(nanos).toSeconds();
  }
}
