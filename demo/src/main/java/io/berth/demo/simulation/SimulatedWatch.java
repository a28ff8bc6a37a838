package io.berth.demo.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.SchedulingPolicy;
import io.berth.demo.invariant.FreshEngine;
import io.berth.demo.simulation.ApiStore.Change;
import io.berth.demo.tenants.ObjectKey;
import io.berth.operator.feed.ClusterFeed;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The watches of one replica: they deliver changes to its feed late but in order. After a stall
 * they either deliver what was missed, or list all objects again.
 */
final class SimulatedWatch {
  private static final Duration SHORTEST_DELAY = Duration.ofNanos(200_000);
  private static final Duration LONGEST_DELAY = Duration.ofMillis(20);
  private static final Duration STALL_STEP = Duration.ofMillis(200);

  private final VirtualTime time;
  private final ApiStore store;
  private final Faults faults;
  private final BooleanSupplier alive;
  private final ClusterFeed feed;
  private final Runnable onPolicy;
  private final KubernetesSerialization serialization = new KubernetesSerialization();
  private final Map<ObjectKey, ObjectNode> delivered = new TreeMap<>();
  private final Deque<Change> waiting = new ArrayDeque<>();
  private final Consumer<Change> listener = this::changed;
  private boolean scheduled;
  private boolean stalled;

  /**
   * @param onPolicy called after a policy was delivered or removed
   */
  SimulatedWatch(
      VirtualTime time,
      ApiStore store,
      Faults faults,
      BooleanSupplier alive,
      ClusterFeed feed,
      Runnable onPolicy) {
    this.time = time;
    this.store = store;
    this.faults = faults;
    this.alive = alive;
    this.feed = feed;
    this.onPolicy = onPolicy;
  }

  /** Lists all objects, and follows their changes. */
  void start() {
    list();
    store.listen(listener);
  }

  void stop() {
    store.ignore(listener);
  }

  /** Returns whether the feed has all changes. */
  boolean isCaughtUp() {
    return waiting.isEmpty();
  }

  private void changed(Change change) {
    if (!isWatched(change.key())) {
      return;
    }
    waiting.add(change);
    schedule(time.between(SHORTEST_DELAY, LONGEST_DELAY));
  }

  private static boolean isWatched(ObjectKey key) {
    return FreshEngine.KINDS.containsKey(key.kind());
  }

  private void schedule(Duration pause) {
    if (!scheduled) {
      scheduled = true;
      time.later(pause, this::deliver);
    }
  }

  private void deliver() {
    scheduled = false;
    if (!alive.getAsBoolean()) {
      return;
    }
    if (faults.watchStalls()) {
      stalled = true;
      schedule(STALL_STEP);
      return;
    }
    if (stalled && time.random().nextBoolean()) {
      list();
    } else {
      while (!waiting.isEmpty()) {
        deliver(waiting.remove());
      }
    }
    stalled = false;
  }

  private void list() {
    waiting.clear();
    List<ObjectKey> gone =
        delivered.keySet().stream().filter(key -> store.find(key).isEmpty()).toList();
    for (ObjectNode object : store.all()) {
      ObjectKey key = ObjectKey.of(object);
      if (isWatched(key) && !object.equals(delivered.get(key))) {
        deliver(new Change(key, object, false));
      }
    }
    gone.forEach(key -> deliver(new Change(key, delivered.get(key), true)));
  }

  private void deliver(Change change) {
    Class<? extends HasMetadata> kind = FreshEngine.KINDS.get(change.key().kind());
    HasMetadata object = serialization.convertValue(change.object(), kind);
    if (change.deleted()) {
      delivered.remove(change.key());
      feed.remove(object);
    } else {
      delivered.put(change.key(), change.object());
      feed.put(object);
    }
    if (kind == SchedulingPolicy.class) {
      onPolicy.run();
    }
  }
}
