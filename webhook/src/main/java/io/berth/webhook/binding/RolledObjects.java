package io.berth.webhook.binding;

import io.berth.webhook.rollout.Rollouts;
import io.berth.webhook.rollout.ServedRevisions;
import io.berth.webhook.rollout.SpecRevision;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The catalog's entries of one kind of objects: of one whose change is rolled out, the last
 * complete revision with the newer one. Complete revisions are known from their observation, and
 * after a restart from the stored ones. Not thread-safe.
 */
final class RolledObjects<E> {
  /** A revision that was complete. */
  private record Complete<E>(String uid, SpecRevision revision, E entry) {}

  /** Reads revisions as entries. */
  interface Reading<E> {
    /** Reads the entry of one revision. */
    E entry(CustomResource<?, ?> object);

    /** Returns whether an entry can serve; one that cannot is never the last complete one. */
    boolean isUsable(E entry);

    /**
     * Returns the entry of two revisions.
     *
     * @param percent the percentage of the workloads to which the latest revision applies
     * @param salt selects these workloads
     * @param isConfirmed whether {@code stable} is the last complete revision; otherwise it is an
     *     older one, which serves until the last complete one is read
     */
    E beside(E stable, E latest, int percent, String salt, boolean isConfirmed);

    /** Returns the entry of a revision that may not be the last complete one. */
    E unconfirmed(E latest);

    /** Returns the entry of a withdrawn revision beside which no other is known. */
    E withdrawn(E latest);
  }

  private final Reading<E> reading;

  /** The last complete revisions that were observed. */
  private final Map<String, Complete<E>> complete = new HashMap<>();

  /** The last complete revisions that were read from storage. */
  private final Map<String, Complete<E>> stored = new HashMap<>();

  /** The states of rollouts from which the entries were made. */
  private final Map<String, String> stamps = new HashMap<>();

  /** The objects whose complete revision is not known. */
  private final Map<String, CustomResource<?, ?>> unknown = new HashMap<>();

  RolledObjects(Reading<E> reading) {
    this.reading = reading;
  }

  /** Returns whether the rollout of an object has gone on since its entry was made. */
  boolean hasMoved(CustomResource<?, ?> object) {
    return !Rollouts.stamp(Rollouts.last(object)).equals(stamps.getOrDefault(key(object), ""));
  }

  /** Returns whether the last complete revision of an object is not known. */
  boolean lacksRevisions() {
    return !unknown.isEmpty();
  }

  /** Returns the entry of an object. */
  E entry(CustomResource<?, ?> object) {
    String key = key(object);
    stamps.put(key, Rollouts.stamp(Rollouts.last(object)));
    E latest = reading.entry(object);
    SpecRevision revision = SpecRevision.of(object);
    List<Complete<E>> known =
        Stream.of(complete.get(key), stored.get(key))
            .filter(Objects::nonNull)
            .filter(it -> it.uid().equals(uid(object)))
            .toList();
    ServedRevisions<Complete<E>> served =
        ServedRevisions.choose(
            Rollouts.of(object), Rollouts.last(object), revision, known, Complete::revision);
    if (served.isUnknown()) {
      unknown.put(key, object);
    } else {
      unknown.remove(key);
    }
    if (served.isComplete()) {
      if (reading.isUsable(latest)) {
        complete.put(key, new Complete<>(uid(object), revision, latest));
      }
      return latest;
    }
    if (served.isNone()) {
      return reading.withdrawn(latest);
    }
    return served
        .stable()
        .map(
            stable ->
                reading.beside(
                    stable.entry(), latest, served.percent(), revision.hash(), !served.isUnknown()))
        .orElseGet(() -> reading.unconfirmed(latest));
  }

  /** Removes a deleted object. */
  void remove(HasMetadata object) {
    complete.remove(key(object));
    stored.remove(key(object));
    stamps.remove(key(object));
    unknown.remove(key(object));
  }

  /**
   * Adds a stored complete revision.
   *
   * @return the object if its entry may have changed
   */
  Optional<CustomResource<?, ?>> stored(CustomResource<?, ?> revision) {
    E entry = reading.entry(revision);
    if (!reading.isUsable(entry)) {
      return Optional.empty();
    }
    stored.put(key(revision), new Complete<>(uid(revision), SpecRevision.of(revision), entry));
    return Optional.ofNullable(unknown.get(key(revision)));
  }

  private static String key(HasMetadata object) {
    return object.getKind() + " " + object.getMetadata().getName();
  }

  private static String uid(HasMetadata object) {
    return Optional.ofNullable(object.getMetadata().getUid()).orElse("");
  }
}
