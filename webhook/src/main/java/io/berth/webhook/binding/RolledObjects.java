package io.berth.webhook.binding;

import io.berth.crds.rollout.GradualRollout;
import io.berth.crds.rollout.RolloutStatus;
import io.berth.webhook.rollout.Rollouts;
import io.berth.webhook.rollout.SpecHash;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The catalog's entries of one kind of objects: of one whose change is rolled out, the last
 * complete revision with the newer one. Complete revisions are known from their observation, and
 * after a restart from the stored ones. Not thread-safe.
 */
final class RolledObjects<E> {
  /** A complete revision. */
  private record Complete<E>(String uid, String hash, E entry) {}

  /** Makes an entry from two revisions. */
  @FunctionalInterface
  interface Combination<E> {
    /**
     * Returns the entry.
     *
     * @param percent the percentage of the workloads to which the latest revision applies
     * @param salt selects these workloads
     */
    E of(E stable, E latest, int percent, String salt);
  }

  private final Function<CustomResource<?, ?>, E> reading;
  private final Combination<E> combination;
  private final Map<String, Complete<E>> complete = new HashMap<>();

  /** The states of rollouts from which the entries were made. */
  private final Map<String, String> stamps = new HashMap<>();

  /** The objects whose complete revision is not known. */
  private final Map<String, CustomResource<?, ?>> unknown = new HashMap<>();

  /**
   * @param reading reads the entry of one revision
   */
  RolledObjects(Function<CustomResource<?, ?>, E> reading, Combination<E> combination) {
    this.reading = reading;
    this.combination = combination;
  }

  /** Returns whether the rollout of an object has gone on since its entry was made. */
  boolean hasMoved(CustomResource<?, ?> object) {
    return !Rollouts.stamp(Rollouts.last(object)).equals(stamps.getOrDefault(key(object), ""));
  }

  /** Returns the entry of an object. */
  E entry(CustomResource<?, ?> object) {
    String key = key(object);
    stamps.put(key, Rollouts.stamp(Rollouts.last(object)));
    E latest = reading.apply(object);
    @Nullable GradualRollout rollout = Rollouts.of(object);
    @Nullable RolloutStatus status = Rollouts.last(object);
    String hash = SpecHash.of(object.getSpec());
    Optional<Complete<E>> stable =
        Optional.ofNullable(complete.get(key)).filter(it -> it.uid().equals(uid(object)));
    Optional<String> stableHash = stable.map(Complete::hash);
    if (Rollouts.isUnknown(rollout, status, hash, stableHash)) {
      unknown.put(key, object);
      return latest; // no revision at all would be worse
    }
    unknown.remove(key);
    if (Rollouts.isComplete(rollout, status, hash, stableHash)) {
      complete.put(key, new Complete<>(uid(object), hash, latest));
      return latest;
    }
    return combination.of(
        stable.orElseThrow().entry(),
        latest,
        Rollouts.percent(rollout, status, hash, stableHash),
        hash);
  }

  /** Removes a deleted object. */
  void remove(HasMetadata object) {
    complete.remove(key(object));
    stamps.remove(key(object));
    unknown.remove(key(object));
  }

  /**
   * Adds a stored complete revision.
   *
   * @return the object if its entry may have changed
   */
  Optional<CustomResource<?, ?>> stored(CustomResource<?, ?> revision) {
    String key = key(revision);
    @Nullable CustomResource<?, ?> waiting = unknown.get(key);
    if (complete.containsKey(key) && waiting == null) {
      return Optional.empty(); // what this replica has observed is newer
    }
    complete.put(
        key,
        new Complete<>(uid(revision), SpecHash.of(revision.getSpec()), reading.apply(revision)));
    return Optional.ofNullable(waiting);
  }

  private static String key(HasMetadata object) {
    return object.getKind() + " " + object.getMetadata().getName();
  }

  private static String uid(HasMetadata object) {
    return Optional.ofNullable(object.getMetadata().getUid()).orElse("");
  }
}
