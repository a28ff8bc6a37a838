package io.berth.demo.soak;

import io.berth.demo.tenants.KubeObjects;
import io.berth.demo.tenants.ObjectKey;
import io.berth.demo.tenants.Tenants;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Pods of a well-behaved tenant, of which one is created each second and must be placed within
 * {@link #LIMIT} while the leader has no fault and a node is open, whatever the other tenants do.
 */
final class LiveProbes {
  private static final Duration LIMIT = Duration.ofSeconds(2);
  private static final Duration LIFE = Duration.ofSeconds(20);

  private final ApiCluster cluster;
  private final LeaderWatch leader;
  private final Stalls stalls;
  private final Findings findings;
  private final Map<String, Long> waiting = new ConcurrentHashMap<>();
  private final Map<String, Long> living = new ConcurrentHashMap<>();
  private final AtomicLong placed = new AtomicLong();
  private final AtomicLong longest = new AtomicLong();
  private volatile OptionalLong openSince = OptionalLong.empty();
  private long created;

  LiveProbes(ApiCluster cluster, LeaderWatch leader, Stalls stalls, Findings findings) {
    this.cluster = cluster;
    this.leader = leader;
    this.stalls = stalls;
    this.findings = findings;
    cluster.onPod(this::changed);
  }

  /** Creates a probe, and deletes those that are old. */
  void create() {
    String name = "probe-" + created++;
    cluster.create(Tenants.probe(name));
    long now = System.nanoTime();
    if (!cluster.isBound(Tenants.PROBES, name)) {
      waiting.put(name, now);
    }
    living.put(name, now);
    List<String> old = new ArrayList<>();
    living.forEach(
        (probe, at) -> {
          if (now - at > LIFE.toNanos()) {
            old.add(probe);
          }
        });
    for (String probe : old) {
      living.remove(probe);
      waiting.remove(probe);
      cluster.delete(ObjectKey.pod(Tenants.PROBES, probe));
    }
  }

  private void changed(Pod pod) {
    if (pod.getMetadata().getNamespace().equals(Tenants.PROBES)
        && pod.getSpec().getNodeName() != null) {
      Long since = waiting.remove(pod.getMetadata().getName());
      if (since != null) {
        placed.incrementAndGet();
        longest.accumulateAndGet(waited(since), Math::max);
      }
    }
  }

  /** Checks the probes that wait; called often. */
  void check() {
    boolean open = cluster.all("Node").stream().anyMatch(KubeObjects::isOpen);
    if (!open) {
      openSince = OptionalLong.empty();
    } else if (openSince.isEmpty()) {
      openSince = OptionalLong.of(System.nanoTime());
    }
    waiting.forEach(
        (name, since) -> {
          // A probe that was placed while it was created is known to the cluster only.
          if (cluster.isBound(Tenants.PROBES, name)) {
            waiting.remove(name);
          } else if (waited(since) > LIMIT.toNanos() && waiting.remove(name) != null) {
            findings.add(
                "%s of namespace %s was not placed within %d s, although %s leads without a fault"
                        .formatted(name, Tenants.PROBES, LIMIT.toSeconds(), leader.holder())
                    + " and a node is open");
          }
        });
  }

  private long waited(long createdAt) {
    OptionalLong duty = leader.dutySince();
    OptionalLong open = openSince;
    if (duty.isEmpty() || open.isEmpty()) {
      return 0;
    }
    long from = Math.max(createdAt, Math.max(duty.getAsLong(), open.getAsLong()));
    return stalls.nanosBetween(from, Math.max(from, System.nanoTime()));
  }

  /** The number of probes that were placed. */
  long placed() {
    return placed.get();
  }

  /** The longest time for which a probe waited while it had to be placed. */
  Duration longest() {
    return Duration.ofNanos(longest.get());
  }
}
