package io.berth.demo.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.demo.simulation.ApiStore.Change;
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
  static final String NAMESPACE = "probes";
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
    ObjectNode pod = JsonNodeFactory.instance.objectNode();
    String name = "probe-" + created++;
    pod.put("apiVersion", "v1").put("kind", "Pod");
    pod.withObject("/metadata").put("namespace", NAMESPACE).put("name", name);
    ObjectNode spec = pod.withObject("/spec").put("schedulerName", Replica.SCHEDULER);
    spec.putArray("containers").addObject().put("name", "main").put("image", "probe");
    pod.withObject("/status").put("phase", "Pending");
    waiting.put(name, time.nanoTime());
    store.put(pod);
    time.later(LIFE, () -> SimulatedApi.deletePod(store, ApiStore.Key.pod(NAMESPACE, name), time));
    time.later(INTERVAL, this::create);
  }

  private void changed(Change change) {
    if (change.key().kind().equals("Node")) {
      boolean open = store.all("Node").stream().anyMatch(Probes::isOpen);
      if (!open) {
        openSince = OptionalLong.empty();
      } else if (openSince.isEmpty()) {
        openSince = OptionalLong.of(time.nanoTime());
      }
    } else if (change.key().namespace().equals(NAMESPACE)
        && (change.deleted() || !ApiStore.nodeOf(change.object()).isEmpty())) {
      Long since = waiting.remove(change.key().name());
      if (since != null && !change.deleted()) {
        placed++;
        longest = Math.max(longest, waited(since));
      }
    }
  }

  private static boolean isOpen(JsonNode node) {
    return !node.at("/spec/unschedulable").asBoolean(false) && !node.at("/spec").has("taints");
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
                        .formatted(probe.getKey(), NAMESPACE, LIMIT.toSeconds()));
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
