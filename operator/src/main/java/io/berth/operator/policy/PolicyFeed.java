package io.berth.operator.policy;

import io.berth.operator.feed.ClusterFeed;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes changed policies to {@link ServedPolicies}, moments after the watch reports them: one
 * thread is woken by every change, and coalesces changes that arrive while it works.
 */
public final class PolicyFeed implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(PolicyFeed.class);

  private final ClusterFeed feed;
  private final ServedPolicies policies;
  private final Semaphore changes = new Semaphore(0);
  private final Thread thread;
  private volatile boolean closed;

  public PolicyFeed(ClusterFeed feed, ServedPolicies policies) {
    this.feed = feed;
    this.policies = policies;
    this.thread = Thread.ofPlatform().name("policies").daemon().unstarted(this::run);
  }

  /** Loads the current policies, then follows their changes. */
  public void start() {
    policies.update(PolicySources.in(feed));
    thread.start();
    feed.onPolicyChange(changes::release);
    changes.release(); // for changes between the two calls
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }

  private void run() {
    while (!closed) {
      try {
        changes.acquire();
        changes.drainPermits();
        policies.update(PolicySources.in(feed));
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException e) {
        LOG.error("Scheduling policies could not be passed to the engine", e);
      }
    }
  }
}
