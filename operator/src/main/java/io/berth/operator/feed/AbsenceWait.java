package io.berth.operator.feed;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The wait until a resource is looked for again that the API server does not serve. It ends early,
 * but not within a second, when an object names an object of the resource, which may be served by
 * then. Thread-safe.
 */
final class AbsenceWait {
  private static final Logger LOG = LoggerFactory.getLogger(AbsenceWait.class);
  private static final Duration SHORTEST = Duration.ofSeconds(1);

  private final Semaphore named = new Semaphore(0);
  private volatile boolean waiting;

  /** Waits no longer than this. */
  void await(Duration longest) throws InterruptedException {
    Duration shortest = longest.compareTo(SHORTEST) < 0 ? longest : SHORTEST;
    waiting = true;
    try {
      named.drainPermits();
      Thread.sleep(shortest);
      if (named.tryAcquire(longest.minus(shortest).toNanos(), TimeUnit.NANOSECONDS)) {
        LOG.debug("A resource that was not served is looked for, because an object names it");
      }
    } finally {
      waiting = false;
    }
  }

  /** Ends the wait soon, if there is one. */
  void named() {
    if (waiting) {
      named.release();
    }
  }
}
