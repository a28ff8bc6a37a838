package io.berth.operator.policy;

import io.berth.operator.feed.ClusterFeed;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings what is written in the cluster to {@link ServedPolicies}, within moments of the watch: one
 * thread, woken by every change, however many changes come while it works.
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

  /** Takes what there is now, then follows. */
  public void start() {
    policies.update(sources());
    thread.start();
    feed.onPolicyChange(changes::release);
    changes.release(); // for what came between the two
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
        policies.update(sources());
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException e) {
        LOG.error("Scheduling policies could not be passed to the engine", e);
      }
    }
  }

  /** A SchedulingPolicy wins over a legacy policy of the same name. */
  private List<PolicySource> sources() {
    List<PolicySource> sources = new ArrayList<>();
    Set<String> names = new HashSet<>();
    feed.policies().forEach(policy -> sources.add(PolicySources.of(policy)));
    sources.forEach(source -> names.add(source.name()));
    feed.legacyPolicies().stream()
        .map(PolicySources::of)
        .filter(source -> names.add(source.name()))
        .forEach(sources::add);
    return sources;
  }
}
