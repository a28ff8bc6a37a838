package io.berth.demo.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.demo.invariant.Statuses;
import io.berth.demo.tenants.ObjectKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The statuses of Berth's kinds that are written although nothing has changed for a while. Measured
 * usage changes always, so writes of it do not count.
 */
final class StatusWrites {
  /** More than the time after which a change is noticed, or a failed write is tried again. */
  private static final Duration NOTICED = Duration.ofSeconds(60);

  private final VirtualTime time;
  private final Map<ObjectKey, String> needless = new TreeMap<>();

  /** The phase and the step of the rollout of each object. */
  private final Map<ObjectKey, String> states = new HashMap<>();

  private long lastChange;
  private long applied;

  StatusWrites(VirtualTime time, ApiStore store) {
    this.time = time;
    store.listen(this::changed);
  }

  private void changed(ApiStore.Change change) {
    if (!Statuses.KINDS.contains(change.key().kind()) || isOfTenant(change) || isStep(change)) {
      lastChange = time.nanoTime();
    }
  }

  /** Returns whether a rollout has taken a step, as it does when time has passed. */
  private boolean isStep(ApiStore.Change change) {
    JsonNode rollout = change.object().at("/status/rollout");
    String state = rollout.path("phase").asText() + rollout.path("step").asText();
    return !state.equals(Objects.requireNonNullElse(states.put(change.key(), state), ""));
  }

  /** Returns whether the change is not one of the status. */
  private boolean isOfTenant(ApiStore.Change change) {
    JsonNode metadata = change.object().path("metadata");
    return change.deleted()
        || metadata.path("generation").asLong()
            != change.object().at("/status/observedGeneration").asLong();
  }

  /** Records that a status was applied. */
  void applied(ObjectNode before, ObjectNode after) {
    applied++;
    if (time.nanoTime() - lastChange > NOTICED.toNanos()
        && !Statuses.differsInUsageOnly(before, after)) {
      needless.put(
          ObjectKey.of(after),
          "%s to %s at %.3f s"
              .formatted(before.path("status"), after.path("status"), time.nanoTime() / 1e9));
    }
  }

  /** Returns the number of statuses that were applied. */
  long applied() {
    return applied;
  }

  /** Returns the writes since the last call, although nothing had changed. */
  List<String> needless() {
    List<String> found = new ArrayList<>();
    needless.forEach(
        (key, write) ->
            found.add(
                "the status of %s %s was written although nothing had changed for %d s: %s"
                    .formatted(key.kind(), key.name(), NOTICED.toSeconds(), write)));
    needless.clear();
    return found;
  }
}
