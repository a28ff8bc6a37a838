package io.berth.demo.simulation;

import io.berth.demo.simulation.ApiStore.Change;
import io.berth.demo.tenants.KubeObjects;
import io.berth.demo.tenants.ObjectKey;
import io.berth.demo.tenants.Tenants;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/**
 * Pods of a well-behaved tenant without requests, of which one is created each second and must be
 * placed within {@link #LIMIT}, whatever the other tenants do. The limit counts from when a leader
 * has had {@link #LEADER} to begin, and the whole server {@link #RECOVERY} to recover from a fault,
 * and while there is an open node.
 */
final class Probes {
  static final Duration LIMIT = Duration.ofSeconds(2);
  private static final Duration LEADER = Duration.ofSeconds(5);

  /** More than the time limit of a request, after which it is known to be lost. */
  private static final Duration RECOVERY = Duration.ofSeconds(20);

  private static final Duration LIFE = Duration.ofSeconds(30);
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  private final VirtualTime time;
  private final ApiStore store;
  private final Faults faults;
  private final Consumer<String> onViolation;
  private final Map<String, Long> waiting = new TreeMap<>();
  private OptionalLong lastFault = OptionalLong.empty();

  /** The time since which a node is open; empty while none is. */
  private OptionalLong openSince = OptionalLong.empty();

  /** The time since which a replica leads; empty while none does. */
  private OptionalLong leaderSince = OptionalLong.empty();

  private long created;
  private long placed;
  private long longest;
  private boolean stopped;

  Probes(VirtualTime time, ApiStore store, Faults faults, Consumer<String> onViolation) {
    this.time = time;
    this.store = store;
    this.faults = faults;
    this.onViolation = onViolation;
    store.listen(this::changed);
  }

  /** Creates a probe each second, until {@link #stop}. */
  void start() {
    stopped = false;
    create();
  }

  void stop() {
    stopped = true;
  }

  /** Records that a replica leads from now on. */
  void leaderBegins() {
    leaderSince = OptionalLong.of(time.nanoTime());
  }

  /** Records that no replica leads any more. */
  void leaderEnds() {
    leaderSince = OptionalLong.empty();
  }

  /** The number of probes that were placed. */
  long placed() {
    return placed;
  }

  /** The longest time for which a probe waited while it could have been placed. */
  Duration longest() {
    return Duration.ofNanos(longest);
  }

  private void create() {
    if (stopped) {
      return;
    }
    String name = "probe-" + created++;
    waiting.put(name, time.nanoTime());
    store.put(Tenants.probe(name));
    time.later(LIFE, () -> store.delete(ObjectKey.pod(Tenants.PROBES, name)));
    time.later(INTERVAL, this::create);
  }

  private void changed(Change change) {
    if (change.key().kind().equals("Node")) {
      boolean open = store.all("Node").stream().anyMatch(KubeObjects::isOpen);
      if (!open) {
        openSince = OptionalLong.empty();
      } else if (openSince.isEmpty()) {
        openSince = OptionalLong.of(time.nanoTime());
      }
    } else if (change.key().namespace().equals(Tenants.PROBES)
        && (change.deleted() || !KubeObjects.nodeOf(change.object()).isEmpty())) {
      Long since = waiting.remove(change.key().name());
      if (since != null && !change.deleted()) {
        placed++;
        longest = Math.max(longest, waited(since));
      }
    }
  }

  /** Checks the probes that wait; called often. */
  void check() {
    if (!faults.isServerWell()) {
      lastFault = OptionalLong.of(time.nanoTime());
    }
    waiting
        .entrySet()
        .removeIf(
            probe -> {
              boolean late = waited(probe.getValue()) > LIMIT.toNanos();
              if (late) {
                onViolation.accept(
                    "%s of namespace %s was not placed within %d s, although a node is open"
                        .formatted(probe.getKey(), Tenants.PROBES, LIMIT.toSeconds()));
              }
              return late;
            });
  }

  /** Returns the time for which a probe waits while it could be placed, in nanoseconds. */
  private long waited(long createdAt) {
    if (leaderSince.isEmpty() || openSince.isEmpty()) {
      return 0;
    }
    long recovered = lastFault.isEmpty() ? createdAt : lastFault.getAsLong() + RECOVERY.toNanos();
    long begun = leaderSince.getAsLong() + LEADER.toNanos();
    long from =
        LongStream.of(createdAt, recovered, begun, openSince.getAsLong()).max().orElseThrow();
    return Math.max(0, time.nanoTime() - from);
  }
}
